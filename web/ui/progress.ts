import { useCallback, useEffect, useRef, useState } from 'react'

/** Work that takes less time than this shows nothing, in milliseconds. */
const waitMs = 100
/** How long the success is shown, in milliseconds. */
const doneMs = 500

/**
 * The progress of a button's work: `busy`, then `done` for a moment if its promise resolves to true. `follow` takes the
 * result of the button's handler, a promise or not. Of several promises the last one counts.
 */
export function useProgress(task: unknown) {
  const [phase, setPhase] = useState<'busy' | 'done'>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const last = useRef<unknown>(undefined)
  const follow = useCallback((work: unknown) => {
    if (!(work instanceof Promise)) return
    last.current = work
    const next = (now: typeof phase, ms: number, then: typeof phase) => {
      if (last.current !== work) return
      clearTimeout(timer.current)
      setPhase(now)
      if (now !== then) timer.current = setTimeout(setPhase, ms, then)
    }
    next(undefined, waitMs, 'busy')
    work.then(
      (isDone) => (isDone === true ? next('done', doneMs, undefined) : next(undefined, 0, undefined)),
      () => next(undefined, 0, undefined),
    )
  }, [])
  useEffect(() => follow(task), [follow, task])
  useEffect(() => () => clearTimeout(timer.current), [])
  return { phase, follow }
}
