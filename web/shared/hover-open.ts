import { go, paths, resourceIn } from './paths.ts'

/** How long a drag rests on a folder that opens for it, in milliseconds. */
const restMs = 700
/** What a hand moves that holds still, in pixels. */
const stillness = 8

interface Point {
  clientX: number
  clientY: number
}

let resting: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let at: Point = { clientX: 0, clientY: 0 }
/** Where the pointer was when a folder opened: what comes to lie below it there does not open in turn. */
let opened: Point | undefined

/** Told of every step of a drag: opens `folder` (decoded, closing slash) when it rests there; undefined: over none. */
export function hoverOn(folder: string | undefined, { clientX, clientY }: Point): void {
  at = { clientX, clientY }
  const isStill = opened && Math.hypot(clientX - opened.clientX, clientY - opened.clientY) < stillness
  const wanted = isStill || folder === resourceIn(location.pathname) ? undefined : folder
  if (!isStill) opened = undefined
  if (wanted === resting) return
  clearTimeout(timer)
  resting = wanted
  if (wanted !== undefined) timer = setTimeout(openFor, restMs, wanted)
}

/** The drag is over, or has left the window. */
export function stopHovering(): void {
  clearTimeout(timer)
  resting = undefined
  opened = undefined
}

function openFor(folder: string): void {
  resting = undefined
  opened = at
  void go(paths.files(folder))
}
