import { type RefObject, useEffect, useRef, useState } from 'react'
import {
  afterDoubleClick,
  fittedPosition,
  maxZoom,
  movePicture,
  type PicturePosition,
  pinchRatio,
  wheelDistance,
  wheelSteps,
  zoomStep,
  zoomTo,
} from './zoom.ts'

/** Minimum horizontal distance of a swipe, in pixels. */
const swipePx = 60

/** Handles pointer and wheel gestures on a picture. `turn` goes to the next (1) or the previous (-1) picture. */
export function usePictureGestures(
  stage: RefObject<HTMLElement | null>,
  turn: (by: 1 | -1) => void,
  close: () => void,
) {
  const [placed, setPlaced] = useState<PicturePosition>(fittedPosition)
  const turnRef = useRef(turn)
  turnRef.current = turn
  const closeRef = useRef(close)
  closeRef.current = close
  useEffect(() => {
    const element = stage.current
    if (!element) return
    return listen(element, setPlaced, {
      turn: (by) => turnRef.current(by),
      close: () => closeRef.current(),
    })
  }, [stage])
  const by = (steps: number) => setPlaced((now) => zoomTo(now, now.zoom + steps * zoomStep))
  // The size of single pixels may need more zoom than gestures allow.
  const to = (zoom: number) => setPlaced((now) => zoomTo(now, zoom, undefined, Math.max(zoom, maxZoom)))
  return { placed, by, to, reset: () => setPlaced(fittedPosition) }
}

type Change = (change: (now: PicturePosition) => PicturePosition) => void

interface Swipes {
  turn(by: 1 | -1): void
  close(): void
}

function listen(stage: HTMLElement, change: Change, swipes: Swipes): () => void {
  const fingers = new Map<number, { x: number; y: number }>()
  let zoom = 1
  let travelled = 0
  let sunk = 0
  let wheelRest = 0
  const put: Change = (next) =>
    change((now) => {
      const placed = next(now)
      zoom = placed.zoom
      return placed
    })
  const fromMiddle = (x: number, y: number) => {
    const box = stage.getBoundingClientRect()
    return { x: x - box.left - box.width / 2, y: y - box.top - box.height / 2 }
  }
  const span = () => {
    const [a, b] = [...fingers.values()]
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0
  }
  const handlers = {
    wheel(event: WheelEvent) {
      event.preventDefault()
      const at = fromMiddle(event.clientX, event.clientY)
      const px = wheelDistance(event)
      if (event.ctrlKey) return put((now) => zoomTo(now, now.zoom * pinchRatio(px), at))
      const { steps, rest } = wheelSteps(wheelRest, px)
      wheelRest = rest
      if (steps !== 0) put((now) => zoomTo(now, now.zoom - steps * zoomStep, at))
    },
    dblclick(event: MouseEvent) {
      if (event.target instanceof Element && event.target.closest('button')) return
      const at = fromMiddle(event.clientX, event.clientY)
      put((now) => zoomTo(now, afterDoubleClick(now.zoom), at))
    },
    pointerdown(event: PointerEvent) {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button'))) return
      stage.setPointerCapture(event.pointerId)
      travelled = 0
      sunk = 0
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    },
    pointermove(event: PointerEvent) {
      const before = fingers.get(event.pointerId)
      if (!before) return
      const [was, by] = [span(), { x: event.clientX - before.x, y: event.clientY - before.y }]
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      const ratio = was > 0 ? span() / was : 1
      const at = fromMiddle(event.clientX, event.clientY)
      if (fingers.size > 1) put((now) => zoomTo(now, now.zoom * ratio, at))
      else put((now) => movePicture(now, by, stage.getBoundingClientRect()))
      travelled = fingers.size > 1 ? Number.NaN : travelled + by.x
      sunk += by.y
    },
    pointerup(event: PointerEvent) {
      if (!fingers.delete(event.pointerId)) return
      // Only a picture that is not enlarged can be swiped. NaN marks a pinch, which is not a swipe.
      if (event.pointerType === 'mouse' || zoom > 1 || Number.isNaN(travelled)) return
      endSwipe(stage, { x: travelled, y: sunk }, swipes)
    },
    pointercancel(event: PointerEvent) {
      fingers.delete(event.pointerId)
    },
  }
  const listeners = Object.entries(handlers) as [string, EventListener][]
  // The wheel handler must prevent page scrolling, which a passive listener cannot.
  for (const [name, handler] of listeners) stage.addEventListener(name, handler, { passive: false })
  return () => {
    for (const [name, handler] of listeners) stage.removeEventListener(name, handler)
  }
}

/** Down closes the picture, to the side turns to its neighbour, following the writing direction. */
function endSwipe(stage: HTMLElement, way: { x: number; y: number }, { turn, close }: Swipes): void {
  if (way.y > Math.max(2 * swipePx, 2 * Math.abs(way.x))) close()
  else if (Math.abs(way.x) > swipePx)
    turn(way.x < 0 === (getComputedStyle(stage).direction === 'ltr') ? 1 : -1)
}
