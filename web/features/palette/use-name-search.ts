import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { type Hit, search } from '#web/api/search/search.ts'
import { useRested } from '#web/shared/lists/use-rested.ts'

const maxHits = 12
/** Delay between the last key press and the request, in milliseconds. */
const debounceMs = 200

interface Found {
  query: string
  hits: readonly Hit[]
  isDone: boolean
  /** There are more hits than these. */
  hasMore?: boolean
  failure?: string
}

/** Searches all files of the user by name when typing rests. A newer query aborts the search, and so does closing. */
export function useNameSearch(words: string, isEnabled: boolean) {
  const trimmed = words.trim()
  const rested = useRested(trimmed, debounceMs)
  const query = isEnabled && rested.length > 1 ? rested : ''
  const [found, setFound] = useState<Found>()
  useEffect(() => {
    if (!query) return
    const controller = new AbortController()
    const { signal } = controller
    const run = async () => {
      let hits: readonly Hit[] = []
      for await (const more of search('/', query, signal)) {
        if (signal.aborted) return
        const all = [...hits, ...more]
        hits = all.slice(0, maxHits)
        setFound({ query, hits, isDone: false })
        if (all.length > maxHits) return setFound({ query, hits, isDone: true, hasMore: true })
      }
      setFound({ query, hits, isDone: true })
    }
    run().catch((error: unknown) => {
      if (!signal.aborted)
        setFound({ query, hits: [], isDone: true, failure: i18n._(problemText(codeOf(error))) })
    })
    return () => controller.abort()
  }, [query])
  const isWaiting = isEnabled && trimmed.length > 1
  const current = found?.query === trimmed ? found : undefined
  return {
    hits: current?.hits ?? [],
    hasMore: current?.hasMore ?? false,
    isSearching: isWaiting && !current?.isDone,
    failure: isWaiting ? current?.failure : undefined,
  }
}
