// A pointer that is never released, for example outside the window, delays nothing for longer than this.
const longestMs = 15_000

let pressedAt: number | undefined
let waiting: (() => void) | undefined

/** Follows whether a pointer is pressed, or something is dragged. */
export function watchPointer(): void {
  const press = () => {
    pressedAt = performance.now()
  }
  const release = () => {
    pressedAt = undefined
    waiting?.()
    waiting = undefined
  }
  // A drag ends the press with `pointercancel`, and then itself with `dragend`.
  for (const type of ['pointerdown', 'dragstart']) addEventListener(type, press, true)
  for (const type of ['pointerup', 'dragend']) addEventListener(type, release, true)
  addEventListener(
    'pointercancel',
    // A touch that scrolls ends here. After `dragstart` the drag continues.
    ({ pointerType }) => pointerType === 'touch' && release(),
    true,
  )
}

/** Whether a pointer is pressed. */
export function isPointerDown(): boolean {
  return pressedAt !== undefined && performance.now() - pressedAt < longestMs
}

/** Calls `work` when the pressed pointer is released. Only the last of several calls counts. */
export function onPointerRelease(work: () => void): void {
  waiting = work
  setTimeout(() => {
    if (waiting === work && !isPointerDown()) waiting()
  }, longestMs)
}
