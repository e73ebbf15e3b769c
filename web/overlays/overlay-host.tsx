import type { ComponentType } from 'react'
import { useSnapshot } from 'valtio'
import { overlays } from './ask.ts'

/** The one place where questions appear. */
export function OverlayHost() {
  const { open } = useSnapshot(overlays)
  return open.map(({ id, view, props }) => {
    // `ask` has paired the view with its own props; here the pair is one of many kinds.
    const View = view as ComponentType<object>
    return <View key={id} {...(props as object)} />
  })
}
