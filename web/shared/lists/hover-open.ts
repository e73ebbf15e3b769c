import { navigateTo, paths, resourceIn } from '#web/shared/paths.ts'

/** A folder opens when a drag rests on it this long, in milliseconds. */
const restMs = 700
/** A pointer that moves less than this many pixels counts as resting. */
const tolerancePx = 8

interface Point {
  clientX: number
  clientY: number
}

let resting: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let at: Point = { clientX: 0, clientY: 0 }
/** The position of the pointer when a folder opened. The folder that appears there next does not open by itself. */
let opened: Point | undefined

/** Called at every step of a drag. Opens `folder` (decoded, closing slash) if the drag rests on it. */
export function hoverFolder(folder: string | undefined, { clientX, clientY }: Point): void {
  at = { clientX, clientY }
  const isStill = opened && Math.hypot(clientX - opened.clientX, clientY - opened.clientY) < tolerancePx
  const hovered = isStill || folder === resourceIn(location.pathname) ? undefined : folder
  if (!isStill) opened = undefined
  if (hovered === resting) return
  clearTimeout(timer)
  resting = hovered
  if (hovered !== undefined) timer = setTimeout(openFor, restMs, hovered)
}

/** Called when the drag has ended or left the window. */
export function stopHovering(): void {
  clearTimeout(timer)
  resting = undefined
  opened = undefined
}

function openFor(folder: string): void {
  resting = undefined
  opened = at
  void navigateTo(paths.files(folder))
}
