let isHeld = false
let waiting: (() => void) | undefined

// A drag ends without `pointerup`. Where nothing else tells of its end, the first move without a button does.
const releases = ['pointerup', 'pointermove', 'dragend']

/** Notes that a button of the mouse is pressed on the list. Fingers do not count: they scroll the list themselves. */
export function noteMouseDown({ pointerType }: { pointerType: string }): void {
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

/** Runs `work` at once, or when the pressed button is released. Of several calls meanwhile, only the last one runs. */
export function afterRelease(work: () => void): void {
  if (isHeld) waiting = work
  else work()
}
