import { proxy, ref } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { type Hit, search } from '#web/api/search.ts'

/** Maximum number of results. Users can narrow the query instead of reading more. */
export const enough = 5000

/** The state of the search and its results in the order in which they were found. */
export const found = proxy({
  hits: ref([]) as readonly Hit[],
  looking: false,
  /** There may be more results: the search was stopped, or it reached the maximum. */
  isPartial: false,
  failure: undefined as FailureCode | undefined,
})

/** The type filters that tiles add to a query (contract/compatibility.md#search-terms). */
export type Tile = 'image' | 'music' | 'pdf' | 'video'

/** Builds the query for the server; empty when there is nothing to search for. */
export function queryOf(words: string, tile: Tile | undefined): string {
  return [tile && `type:${tile}`, words.trim()].filter(Boolean).join(' ')
}

/** The search terms in the words, by the server's syntax: a quoted phrase is one term, and options are not terms. */
export function termsOf(words: string): string[] {
  const plain = words.replace(/(^|\s)(type|case):\S+/g, ' ').trim()
  const quoted = /^"(.*)"$/.exec(plain)?.[1]
  return (quoted === undefined ? plain.split(/\s+/) : [quoted]).filter(Boolean)
}

/** Splits a name at the search terms. Every second piece is a match. */
export function piecesOf(name: string, terms: readonly string[]): string[] {
  if (terms.length === 0) return [name]
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return name.split(new RegExp(`(${escaped.join('|')})`, 'iu'))
}

let current = new AbortController()

/** Stops the running search and keeps its results. */
export function stop(): void {
  if (!found.looking) return
  current.abort()
  found.looking = false
  found.isPartial = true
}

/** Stops the search and clears its results. */
export function reset(): void {
  current.abort()
  Object.assign(found, { hits: ref([]), failure: undefined, isPartial: false, looking: false })
}

/** Searches for `query` below `folder`, until all or enough results are found or another search begins. */
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
