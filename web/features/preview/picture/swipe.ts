import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Minimum horizontal distance of a swipe, in pixels. It must also be twice the vertical distance. */
const swipePx = 60

/** Height of a player's controls, which the user drags, in pixels. */
const controlsPx = 96

/**
 * A horizontal swipe over `frame` goes to the next (1) or the previous (-1) file, following the writing direction. A swipe
 * down calls `close`, if there is such a function.
 */
export function useSwipe(
  frame: RefObject<HTMLElement | null>,
  turn: (by: 1 | -1) => void,
  close?: () => void,
): void {
  const latest = useRef({ turn, close })
  latest.current = { turn, close }
  useLayoutEffect(() => {
    const element = frame.current
    let start: Touch | undefined
    const onStart = (event: TouchEvent) => {
      const [touch] = event.touches
      start = event.touches.length === 1 && touch && isFree(touch) ? touch : undefined
    }
    const onEnd = ({ changedTouches: [end] }: TouchEvent) => {
      if (start && end && element)
        act({ x: end.clientX - start.clientX, y: end.clientY - start.clientY }, element)
      start = undefined
    }
    const act = ({ x, y }: { x: number; y: number }, element: HTMLElement) => {
      const { turn, close } = latest.current
      if (y > Math.max(2 * swipePx, 2 * Math.abs(x))) close?.()
      if (Math.abs(x) < Math.max(swipePx, 2 * Math.abs(y))) return
      turn(x < 0 === (getComputedStyle(element).direction === 'ltr') ? 1 : -1)
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
