let isHeld = false
let waiting: (() => void) | undefined

// A drag ends without `pointerup`. If `dragend` is also missing, the first move without a pressed button counts.
const releases = ['pointerup', 'pointermove', 'dragend']

/** Records that a mouse button is pressed on the list. Touch does not count, because it scrolls the list itself. */
export function trackMouseDown({ pointerType }: { pointerType: string }): void {
  if (pointerType === 'touch' || isHeld) return
  isHeld = true
  const release = (event: Event) => {
    if (event instanceof PointerEvent && event.buttons > 0) return
    isHeld = false
    for (const type of releases) removeEventListener(type, release, true)
    waiting?.()
    waiting = undefined
  }
  for (const type of releases) addEventListener(type, release, true)
}

/** Runs `work` at once, or when the pressed button is released. Then only the last of several calls runs. */
export function afterRelease(work: () => void): void {
  if (isHeld) waiting = work
  else work()
}
