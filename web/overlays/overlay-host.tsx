import { type ComponentType, useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { overlays } from './ask.ts'

/** The one place where questions appear, one at a time: a second one waits for the first. */
export function OverlayHost() {
  const [first] = useSnapshot(overlays).open
  const isOpen = first !== undefined
  useEffect(() => {
    if (!isOpen) return
    return keepFocus
  }, [isOpen])
  if (!first) return null
  // `ask` has paired the view with its own props; here the pair is one of many kinds.
  const View = first.view as ComponentType<object>
  return <View key={first.id} {...(first.props as object)} />
}

/**
 * A dialog gives the focus back to what opened it. Where that is gone, like a button for a selection that was deleted,
 * the list takes it, so that the keys go on working.
 */
function keepFocus(): void {
  requestAnimationFrame(() => {
    requestAnimationFrame(() => {
      if (document.activeElement && document.activeElement !== document.body) return
      document.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true })
    })
  })
}
