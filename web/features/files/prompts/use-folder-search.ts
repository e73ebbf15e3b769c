import { useEffect, useState } from 'react'
import { search } from '#web/api/search/search.ts'
import { useRested } from '#web/shared/lists/use-rested.ts'

/** The number of folders that are shown. Another letter narrows them down. */
const maxFound = 50
/** Delay between the last key press and the request, in milliseconds. */
const debounceMs = 150

/** The folders whose names match `words`, by path with a closing slash. Undefined without words, and before the first answer. */
export function useFolderSearch(words: string): { found: readonly string[] | undefined; isCurrent: boolean } {
  const query = useRested(words.trim(), debounceMs)
  const [answer, setAnswer] = useState<{ query: string; paths: readonly string[] }>()
  useEffect(() => {
    if (!query) return
    const controller = new AbortController()
    const { signal } = controller
    foldersNamed(query, signal).then(
      (paths) => signal.aborted || setAnswer({ query, paths }),
      // A failed search finds nothing. The tree can still be opened, and shows the error of the server.
      () => signal.aborted || setAnswer({ query, paths: [] }),
    )
    return () => controller.abort()
  }, [query])
  const isAsked = words.trim() !== ''
  return {
    // The folders of the previous letters stay until the answer arrives.
    found: isAsked ? answer?.paths : undefined,
    isCurrent: answer?.query === words.trim(),
  }
}

async function foldersNamed(query: string, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = []
  for await (const hits of search('/', query, signal)) {
    paths.push(...hits.filter(({ dir }) => dir).map(({ path }) => `/${path}/`))
    if (paths.length >= maxFound) break
  }
  return paths.slice(0, maxFound)
}
