/** How a picture lies in its stage: enlarged about its middle, then moved by pixels. */
export interface Placed {
  zoom: number
  x: number
  y: number
}

/** As large as the stage allows. */
export const fitting: Placed = { zoom: 1, x: 0, y: 0 }

/** One step of the buttons, the keys and the wheel. */
export const step = 0.25

/** How far a wheel turns for one step, in pixels; what a wheel with notches gives for one of them is about that. */
const stepPx = 100

/** What the rows and pages of a wheel that does not count pixels (`deltaMode` 1 and 2) are in pixels. */
const unitPx = [1, stepPx / 3, stepPx] as const

/** A turn of a wheel in pixels, downwards. */
export function turnOf({ deltaY, deltaMode }: Pick<WheelEvent, 'deltaY' | 'deltaMode'>): number {
  return deltaY * (unitPx[deltaMode] ?? 1)
}

/**
 * How many steps smaller a turn of the wheel by `px` makes a picture, after `rest` pixels that made no step yet. One
 * notch of a wheel is a step, however far its maker lets it turn; the many small turns of a trackpad add up.
 */
export function wheelSteps(rest: number, px: number): { steps: number; rest: number } {
  if (Math.abs(px) >= stepPx / 2)
    return { steps: Math.sign(px) * Math.max(1, Math.round(Math.abs(px) / stepPx)), rest: 0 }
  const sum = (Math.sign(px) === -Math.sign(rest) ? 0 : rest) + px
  const steps = Math.trunc(sum / stepPx)
  return { steps, rest: sum - steps * stepPx }
}

/** How much larger two fingers on a trackpad make it, of which the browser tells as a turn by `px` with Ctrl held. */
export function pinchRatio(px: number): number {
  return Math.exp(-Math.max(-mostPinchPx, Math.min(mostPinchPx, px)) / stepPx)
}

/** A wheel with notches, turned with Ctrl held, is no pinch of this size. In pixels. */
const mostPinchPx = 25

/**
 * Enlarges to `zoom`, between 0.25 and 4, so that the point at `at` (pixels from the stage's middle) stays where it is.
 * At 1 and below there is nothing to move: the picture returns to the middle.
 */
export function zoomTo(placed: Placed, zoom: number, at = { x: 0, y: 0 }): Placed {
  const next = Math.max(0.25, Math.min(4, zoom))
  if (next <= 1) return { zoom: next, x: 0, y: 0 }
  const ratio = next / placed.zoom
  return { zoom: next, x: at.x - (at.x - placed.x) * ratio, y: at.y - (at.y - placed.y) * ratio }
}

/** What a double click leads to: 1, 2, 4, and 1 again. */
export function afterDoubleClick(zoom: number): number {
  if (zoom < 2) return 2
  return zoom < 4 ? 4 : 1
}

/** Moves an enlarged picture, never so far that it leaves a stage of this size, in pixels. */
export function move({ zoom, x, y }: Placed, by: { x: number; y: number }, stage: DOMRectReadOnly): Placed {
  if (zoom <= 1) return { zoom, x, y }
  const within = (value: number, size: number) => Math.max(-size / 2, Math.min(size / 2, value))
  return { zoom, x: within(x + by.x, stage.width * zoom), y: within(y + by.y, stage.height * zoom) }
}
