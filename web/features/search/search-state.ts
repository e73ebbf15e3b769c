import { proxy, ref } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { type Hit, search } from '#web/api/search.ts'

/** Nobody reads more; the words can be made narrower. */
const enough = 5000

/** What is being looked for and what was found so far, in the order of finding. */
export const found = proxy({
  hits: ref([]) as readonly Hit[],
  looking: false,
  failure: undefined as FailureCode | undefined,
})

/** What the type tiles add to a search (reference 5). */
export type Tile = 'image' | 'music' | 'pdf' | 'video'

/** The words and the type as the server reads them; empty when there is nothing to look for. */
export function queryOf(words: string, tile: Tile | undefined): string {
  return [tile && `type:${tile}`, words.trim()].filter(Boolean).join(' ')
}

/** Looks for `query` below `folder` until everything is found, enough is found, or `signal` aborts. */
export async function look(folder: string, query: string, signal: AbortSignal): Promise<void> {
  Object.assign(found, { hits: ref([]), failure: undefined, looking: query !== '' })
  if (!query) return
  try {
    for await (const more of search(folder, query, signal)) {
      if (signal.aborted) return
      found.hits = ref([...found.hits, ...more])
      if (found.hits.length >= enough) break
    }
  } catch (error) {
    if (!signal.aborted) found.failure = codeOf(error)
  }
  if (!signal.aborted) found.looking = false
}
