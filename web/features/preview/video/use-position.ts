import { useLingui } from '@lingui/react/macro'
import { type RefObject, useEffect } from 'react'
import { formatClock } from '#web/ui/format/clock.ts'
import { dismissKey, showToast } from '#web/ui/toasts/toasts.ts'
import { storedPosition, storePosition } from './positions.ts'

/** The position is stored this often while a video plays, in seconds. */
const stepSeconds = 5
const key = 'position'
const noticeMs = 10_000

/** Continues a long video where it was left, says so, and stores where it is left. */
export function usePosition(video: RefObject<HTMLVideoElement | null>, path: string, isOn: boolean): void {
  const { t, i18n } = useLingui()
  // biome-ignore lint/correctness/useExhaustiveDependencies: texts in another language need no new start.
  useEffect(() => {
    const { current } = video
    if (!isOn || !current) return
    let stored = Number.NaN
    const store = () => storePosition(path, current.currentTime, current.duration)
    const onTime = () => {
      if (Math.abs(current.currentTime - stored) < stepSeconds || current.seeking) return
      stored = current.currentTime
      store()
    }
    const start = () => {
      stored = current.currentTime
      const seconds = storedPosition(path)
      // A video may have begun to play before this code runs.
      if (seconds === 0 || current.currentTime > stepSeconds || seconds >= current.duration) return
      current.currentTime = seconds
      stored = seconds
      const startOver = () => {
        current.currentTime = 0
        dismissKey(key)
      }
      const actions = [{ label: t`Start over`, run: startOver }]
      showToast('success', t`Continues at ${formatClock(seconds, i18n.locale)}`, '', {
        key,
        actions,
        ms: noticeMs,
      })
    }
    const leave = () => {
      if (current.readyState > 0 && !Number.isNaN(stored)) store()
    }
    if (current.readyState > 0) start()
    current.addEventListener('loadedmetadata', start, { once: true })
    current.addEventListener('timeupdate', onTime)
    current.addEventListener('pause', leave)
    addEventListener('pagehide', leave)
    return () => {
      leave()
      dismissKey(key)
      current.removeEventListener('loadedmetadata', start)
      current.removeEventListener('timeupdate', onTime)
      current.removeEventListener('pause', leave)
      removeEventListener('pagehide', leave)
    }
  }, [path, isOn])
}
