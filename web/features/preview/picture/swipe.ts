import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Minimum horizontal distance of a swipe, in pixels. It must also be twice the vertical distance. */
const swipePx = 60

/** Height of a player's controls, which the user drags, in pixels. */
const controlsPx = 96

/** A horizontal swipe over `frame` goes to the next (1) or the previous (-1) file, following the writing direction. */
export function useSwipe(frame: RefObject<HTMLElement | null>, turn: (by: 1 | -1) => void): void {
  const turnRef = useRef(turn)
  turnRef.current = turn
  useLayoutEffect(() => {
    const element = frame.current
    let start: Touch | undefined
    const onStart = (event: TouchEvent) => {
      const [touch] = event.touches
      start = event.touches.length === 1 && touch && isFree(touch) ? touch : undefined
    }
    const onEnd = ({ changedTouches: [end] }: TouchEvent) => {
      if (!start || !end || !element) return
      const [x, y] = [end.clientX - start.clientX, end.clientY - start.clientY]
      start = undefined
      if (Math.abs(x) < Math.max(swipePx, 2 * Math.abs(y))) return
      turnRef.current(x < 0 === (getComputedStyle(element).direction === 'ltr') ? 1 : -1)
    }
    element?.addEventListener('touchstart', onStart, { passive: true })
    element?.addEventListener('touchend', onEnd, { passive: true })
    return () => {
      element?.removeEventListener('touchstart', onStart)
      element?.removeEventListener('touchend', onEnd)
    }
  }, [frame])
}

/**
 * Whether the touch may start a swipe. Pictures have their own gestures; editors, players and controls need the touch.
 */
function isFree({ target, clientY }: Touch): boolean {
  if (!(target instanceof Element)) return false
  if (target.closest('[data-part=picture], [data-part=editor], audio, button, a')) return false
  const film = target.closest('video')
  return !film || clientY < film.getBoundingClientRect().bottom - controlsPx
}
