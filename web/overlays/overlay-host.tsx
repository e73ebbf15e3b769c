import type { ComponentType } from 'react'
import { useSnapshot } from 'valtio'
import { overlays } from './ask.ts'

/**
 * Shows the open questions one at a time. A second question waits for the first. A dialog returns the focus to the
 * element that opened it, if that is still there (`ui/layers/lost-focus.ts`).
 */
export function OverlayHost() {
  const [first] = useSnapshot(overlays).open
  if (!first) return null
  // `ask` paired the view with its own props. The list loses this type.
  const View = first.view as ComponentType<object>
  return <View key={first.id} {...(first.props as object)} />
}
