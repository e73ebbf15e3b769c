import { proxy, ref } from 'valtio'
import { literalPattern } from '#src/core/text/literal-pattern.ts'
import type { FailureCode } from '#web/api/client.ts'
import { origin } from '#web/api/origin.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { type Hit, search } from '#web/api/search/search.ts'
import { searchShared } from '#web/api/search/search-shared.ts'

/** Maximum number of results. Users can narrow the query instead of reading more. */
export const maxResults = 5000

/** The state of the search and its results in the order in which they were found. */
export const searchState = proxy({
  hits: ref([]) as readonly Hit[],
  isSearching: false,
  /** The search for the present query has ended. It begins a moment after the query has changed. */
  hasEnded: false,
  /** There may be more results: the search was stopped, or it reached the maximum. */
  isPartial: false,
  failure: undefined as FailureCode | undefined,
})

/** The type filters that tiles add to a query (contract/compatibility.md#search-terms). */
export type TypeFilter = 'image' | 'music' | 'pdf' | 'video'

/** Builds the query for the server; empty when there is nothing to search for. */
export function buildQuery(words: string, tile: TypeFilter | undefined): string {
  return [tile && `type:${tile}`, words.trim()].filter(Boolean).join(' ')
}

/** Splits a name at the search terms. Every second piece is a match. */
export function splitAtMatches(name: string, terms: readonly string[]): string[] {
  if (terms.length === 0) return [name]
  return name.split(new RegExp(`(${terms.map(literalPattern).join('|')})`, 'iu'))
}

let current = new AbortController()

/** Stops the running search and keeps its results. */
export function stopSearch(): void {
  if (!searchState.isSearching) return
  current.abort()
  Object.assign(searchState, { isSearching: false, hasEnded: true, isPartial: true })
}

/** Stops the search and clears its results. */
export function resetSearch(): void {
  current.abort()
  const state = { hits: ref([]), failure: undefined, isPartial: false, isSearching: false, hasEnded: false }
  Object.assign(searchState, state)
}

/** Searches for `query` below `folder`, until all or enough results are found or another search begins. */
export async function runSearch(folder: string, query: string): Promise<void> {
  resetSearch()
  current = new AbortController()
  const { signal } = current
  searchState.isSearching = true
  try {
    const { link } = origin
    const found = link ? searchShared(link, folder, query, signal) : search(folder, query, signal)
    for await (const more of found) {
      if (signal.aborted) return
      if (more === 'partial') {
        searchState.isPartial = true
        break
      }
      searchState.hits = ref([...searchState.hits, ...more].slice(0, maxResults))
      searchState.isPartial = searchState.hits.length === maxResults
      if (searchState.isPartial) break
    }
  } catch (error) {
    if (!signal.aborted) searchState.failure = codeOf(error)
  }
  if (!signal.aborted) Object.assign(searchState, { isSearching: false, hasEnded: true })
}
