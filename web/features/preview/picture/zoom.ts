/** The position of a picture: scaled about its centre, then moved by pixels. */
export interface PicturePosition {
  zoom: number
  x: number
  y: number
}

/** Fits into the stage. */
export const fittedPosition: PicturePosition = { zoom: 1, x: 0, y: 0 }

/** The largest zoom by wheel, keys and gestures. */
export const maxZoom = 4

/** One zoom step of the buttons, the keys and the wheel. */
export const zoomStep = 0.25

/** Wheel distance of one zoom step, in pixels; about one notch of a common wheel. */
const stepPx = 100

/** Pixels per unit of a wheel event: `deltaMode` 0 is pixels, 1 is lines, 2 is pages. */
const unitPx = [1, stepPx / 3, stepPx] as const

/** The distance of a wheel event in pixels; positive is down. */
export function wheelDistance({ deltaY, deltaMode }: Pick<WheelEvent, 'deltaY' | 'deltaMode'>): number {
  return deltaY * (unitPx[deltaMode] ?? 1)
}

/**
 * The steps by which a wheel event of `px` pixels makes a picture smaller. `rest` is the distance that made no step
 * yet. One notch of a wheel is one step, whatever its size; the many small scrolls of a trackpad add up.
 */
export function wheelSteps(rest: number, px: number): { steps: number; rest: number } {
  if (Math.abs(px) >= stepPx / 2)
    return { steps: Math.sign(px) * Math.max(1, Math.round(Math.abs(px) / stepPx)), rest: 0 }
  const sum = (Math.sign(px) === -Math.sign(rest) ? 0 : rest) + px
  const steps = Math.trunc(sum / stepPx)
  return { steps, rest: sum - steps * stepPx }
}

/** The zoom ratio of a trackpad pinch. Browsers report a pinch as a wheel event of `px` pixels with Ctrl. */
export function pinchRatio(px: number): number {
  return Math.exp(-Math.max(-maxPinchPx, Math.min(maxPinchPx, px)) / stepPx)
}

/** Maximum distance of one pinch event, in pixels. Limits a notched wheel that is turned with Ctrl. */
const maxPinchPx = 25

/**
 * Scales to `zoom`, limited to between 0.25 and `max`, or the present zoom. The point `at` (pixels from the stage's centre) stays in place. At 1
 * and below, the picture is centred.
 */
export function zoomTo(
  placed: PicturePosition,
  zoom: number,
  at = { x: 0, y: 0 },
  max = maxZoom,
): PicturePosition {
  const next = Math.max(0.25, Math.min(Math.max(max, placed.zoom), zoom))
  if (next <= 1) return { zoom: next, x: 0, y: 0 }
  const ratio = next / placed.zoom
  return { zoom: next, x: at.x - (at.x - placed.x) * ratio, y: at.y - (at.y - placed.y) * ratio }
}

/** The zoom after a double click: 1, 2, 4, and 1 again. */
export function afterDoubleClick(zoom: number): number {
  if (zoom < 2) return 2
  return zoom < 4 ? 4 : 1
}

/** Moves an enlarged picture, but not out of a stage of this size, in pixels. */
export function movePicture(
  { zoom, x, y }: PicturePosition,
  by: { x: number; y: number },
  stage: DOMRectReadOnly,
): PicturePosition {
  if (zoom <= 1) return { zoom, x, y }
  const within = (value: number, size: number) => Math.max(-size / 2, Math.min(size / 2, value))
  return { zoom, x: within(x + by.x, stage.width * zoom), y: within(y + by.y, stage.height * zoom) }
}
