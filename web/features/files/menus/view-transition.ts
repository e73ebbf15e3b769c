import './view-transition.module.css'

const inputs = ['pointerdown', 'keydown', 'wheel'] as const

/**
 * Fades from the present view to the one after `change`, where browsers can. The next input ends the fade, and with
 * reduced motion there is none.
 */
export async function fadeTo(change: () => Promise<void>): Promise<void> {
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  if (isStill || !document.startViewTransition) return change()
  let saved: Promise<void> | undefined
  const transition = document.startViewTransition(async () => {
    saved = change()
    // The caller gets the error. Saving may take long, so the fade waits only until the new view is rendered.
    saved.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve))
  })
  const skip = () => transition.skipTransition()
  for (const input of inputs) addEventListener(input, skip, { capture: true, passive: true })
  // A hidden page, or a newer fade, ends this one early.
  void transition.ready.catch(() => undefined)
  void transition.finished.finally(() => {
    for (const input of inputs) removeEventListener(input, skip, { capture: true })
  })
  await transition.updateCallbackDone
  return saved
}
