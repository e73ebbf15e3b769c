import { useEffect, useState } from 'react'
import { problemMessage } from '#web/api/problems/problem-text.ts'

/** A page of a list, the newest items first. `next`: where the next page begins. Undefined: there is none. */
interface Page<T> {
  items: readonly T[]
  next?: number | undefined
}

interface Loaded<T> extends Partial<Page<T>> {
  /** The sentence for the last error. Undefined: there was none. */
  failure?: string
  isLoading: boolean
}

/** Reads the page that begins at `before`. Undefined: the first one. */
type ReadPage<T> = (before: number | undefined, options: { signal?: AbortSignal }) => Promise<Page<T>>

/** Loads a list page by page, from the start again for another `key`. `items` is undefined before the first page. */
export function usePages<T>(key: string, read: ReadPage<T>): Loaded<T> & { more(): Promise<void> } {
  const [state, setState] = useState<Loaded<T>>({ isLoading: true })
  const load = async (before: number | undefined, signal?: AbortSignal) => {
    setState(({ failure: _, ...known }) => ({ ...known, isLoading: true }))
    try {
      const page = await read(before, signal ? { signal } : {})
      const add = (known: readonly T[] = []) => [...(before === undefined ? [] : known), ...page.items]
      if (!signal?.aborted)
        setState(({ items }) => ({ items: add(items), next: page.next, isLoading: false }))
    } catch (error) {
      if (!signal?.aborted)
        setState((known) => ({ ...known, failure: problemMessage(error), isLoading: false }))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads again only for another key.
  useEffect(() => {
    const controller = new AbortController()
    void load(undefined, controller.signal)
    return () => controller.abort()
  }, [key])
  return { ...state, more: () => load(state.next) }
}
