import { useLingui } from '@lingui/react/macro'
import { Maximize, Minimize } from 'lucide-react'
import { useEffect, useReducer } from 'react'
import { Button } from '#web/ui/button.tsx'

/** Lets what is shown fill the whole screen; telephones of Apple's cannot. */
export function FullScreenButton() {
  const { t } = useLingui()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    document.addEventListener('fullscreenchange', redraw)
    return () => document.removeEventListener('fullscreenchange', redraw)
  }, [])
  if (!document.fullscreenEnabled) return null
  const isFull = document.fullscreenElement !== null
  return (
    <Button
      look="quiet"
      icon={isFull ? Minimize : Maximize}
      iconOnly
      label={isFull ? t`Leave full screen` : t`Full screen`}
      aria-keyshortcuts="F"
      onClick={toggleFullScreen}
    />
  )
}

/** The whole page goes, so that questions and notices are seen above it. */
export function toggleFullScreen(): void {
  const done = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen()
  // The browser may refuse; then it stays as it is, which is all there is to see of it.
  void done.catch(() => undefined)
}
