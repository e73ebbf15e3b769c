import { type CSSProperties, type FocusEvent, useEffect, useRef, useState } from 'react'
import styles from './toast-list.module.css'

interface ToastTimerProps {
  ms: number
  /** The time stands still. */
  isHeld: boolean
  onEnd(): void
}

/** A bar that shrinks until its notice disappears. */
export function ToastTimer({ ms, isHeld, onEnd }: ToastTimerProps) {
  const restMs = useRef(ms)
  const end = useRef(onEnd)
  end.current = onEnd
  useEffect(() => {
    if (isHeld) return
    const startedAt = performance.now()
    const timer = setTimeout(() => end.current(), restMs.current)
    return () => {
      clearTimeout(timer)
      restMs.current -= performance.now() - startedAt
    }
  }, [isHeld])
  const style = { animationDuration: `${ms}ms`, animationPlayState: isHeld ? 'paused' : 'running' }
  return <i className={styles.bar} style={style as CSSProperties} aria-hidden />
}

/** Whether the pointer or the focus is on an element with these handlers. */
export function useHold() {
  const [holds, setHolds] = useState({ pointer: false, focus: false })
  const set = (change: Partial<typeof holds>) => setHolds((before) => ({ ...before, ...change }))
  return {
    isHeld: holds.pointer || holds.focus,
    handlers: {
      onPointerEnter: () => set({ pointer: true }),
      onPointerLeave: () => set({ pointer: false }),
      onFocus: () => set({ focus: true }),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) set({ focus: false })
      },
    },
  }
}
