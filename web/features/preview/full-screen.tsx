import { useLingui } from '@lingui/react/macro'
import { Maximize, Minimize } from 'lucide-react'
import { useEffect, useReducer } from 'react'
import type { FileView } from '#contract/resources.ts'
import { Button } from '#web/ui/button.tsx'

/** Whether there is more to see of it on the whole screen. */
export function fillsScreen({ type }: FileView): boolean {
  return document.fullscreenEnabled && (type === 'image' || type === 'video' || type === 'pdf')
}

/** Lets what is shown fill the whole screen; telephones of Apple's cannot. */
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
      look="quiet"
      icon={isFull ? Minimize : Maximize}
      iconOnly
      label={isFull ? t`Exit full screen` : t`Full screen`}
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
