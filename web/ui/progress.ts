import { useCallback, useEffect, useRef, useState } from 'react'

/** Work shorter than this shows nothing, in milliseconds. */
const waitMs = 100
/** How long it shows that it is done, in milliseconds. */
const doneMs = 500

/**
 * How far the work is that a button has begun: `busy`, and when it answers true, `done` for a moment. `follow` takes what
 * the button's handler answers, a promise or not; of several the last counts.
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
