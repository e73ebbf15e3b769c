import { useLingui } from '@lingui/react/macro'
import { Maximize, Minimize } from 'lucide-react'
import { useEffect, useReducer } from 'react'
import type { FileView } from '#contract/resources.ts'
import { Button } from '#web/ui/button.tsx'

/** Whether this kind of file benefits from full screen. */
export function supportsFullScreen({ type }: FileView): boolean {
  return document.fullscreenEnabled && (type === 'image' || type === 'video' || type === 'pdf')
}

/** The full-screen button. iPhones do not support full screen. */
export function FullScreenButton() {
  const { t } = useLingui()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    document.addEventListener('fullscreenchange', redraw)
    return () => document.removeEventListener('fullscreenchange', redraw)
  }, [])
  const isFull = document.fullscreenElement !== null
  return (
    <Button
      variant="quiet"
      icon={isFull ? Minimize : Maximize}
      iconOnly
      label={isFull ? t`Exit full screen` : t`Full screen`}
      aria-keyshortcuts="F"
      onClick={toggleFullScreen}
    />
  )
}

/** Toggles full screen for the whole page, so that dialogs and notices stay visible. */
export function toggleFullScreen(): void {
  const done = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen()
  // The browser may refuse; then the page stays as it is.
  void done.catch(() => undefined)
}
