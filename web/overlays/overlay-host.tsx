import { type ComponentType, useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { overlays } from './ask.ts'

/** Shows the open questions one at a time. A second question waits for the first. */
export function OverlayHost() {
  const [first] = useSnapshot(overlays).open
  const isOpen = first !== undefined
  useEffect(() => {
    if (!isOpen) return
    return restoreFocus
  }, [isOpen])
  if (!first) return null
  // `ask` paired the view with its own props. The list loses this type.
  const View = first.view as ComponentType<object>
  return <View key={first.id} {...(first.props as object)} />
}

/**
 * A dialog returns the focus to the element that opened it. If that element was removed, such as the button of a
 * deleted selection, the list or the message in its place gets the focus, so that shortcuts keep working.
 */
function restoreFocus(): void {
  requestAnimationFrame(() => {
    requestAnimationFrame(() => {
      if (document.activeElement && document.activeElement !== document.body) return
      document.querySelector<HTMLElement>('[role=grid], [data-message]')?.focus({ preventScroll: true })
    })
  })
}
