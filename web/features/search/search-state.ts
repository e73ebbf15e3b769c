import { proxy, ref } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { type Hit, search } from '#web/api/search.ts'

/** Nobody reads more; the words can be made narrower. */
export const enough = 5000

/** What is being looked for and what was found so far, in the order of finding. */
export const found = proxy({
  hits: ref([]) as readonly Hit[],
  looking: false,
  /** There may be more: it was stopped, or enough was found. */
  isPartial: false,
  failure: undefined as FailureCode | undefined,
})

/** What the type tiles add to a search (contract/compatibility.md#search-terms). */
export type Tile = 'image' | 'music' | 'pdf' | 'video'

/** The words and the type as the server reads them; empty when there is nothing to look for. */
export function queryOf(words: string, tile: Tile | undefined): string {
  return [tile && `type:${tile}`, words.trim()].filter(Boolean).join(' ')
}

/** What of the words names are searched for, in the server's way: what is in quotes is one, options are none. */
export function termsOf(words: string): string[] {
  const plain = words.replace(/(^|\s)(type|case):\S+/g, ' ').trim()
  const quoted = /^"(.*)"$/.exec(plain)?.[1]
  return (quoted === undefined ? plain.split(/\s+/) : [quoted]).filter(Boolean)
}

/** A name in pieces, every second of which is what was looked for. */
export function piecesOf(name: string, terms: readonly string[]): string[] {
  if (terms.length === 0) return [name]
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return name.split(new RegExp(`(${escaped.join('|')})`, 'iu'))
}

let current = new AbortController()

/** Ends the search that is going on; what it has found stays. */
export function stop(): void {
  if (!found.looking) return
  current.abort()
  found.looking = false
  found.isPartial = true
}

/** Forgets everything that was found, and looks no more. */
export function reset(): void {
  current.abort()
  Object.assign(found, { hits: ref([]), failure: undefined, isPartial: false, looking: false })
}

/** Looks for `query` below `folder` until everything is found, enough is found, or another search begins. */
export async function look(folder: string, query: string): Promise<void> {
  reset()
  current = new AbortController()
  const { signal } = current
  found.looking = true
  try {
    for await (const more of search(folder, query, signal)) {
      if (signal.aborted) return
      found.hits = ref([...found.hits, ...more].slice(0, enough))
      found.isPartial = found.hits.length === enough
      if (found.isPartial) break
    }
  } catch (error) {
    if (!signal.aborted) found.failure = codeOf(error)
  }
  if (!signal.aborted) found.looking = false
}
