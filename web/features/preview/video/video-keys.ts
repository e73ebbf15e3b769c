import { type RefObject, useLayoutEffect } from 'react'
import { isPageShortcut } from '#web/overlays/page-key.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'

/** How far the arrow keys seek, in seconds. */
const seekSeconds = 5

/** The speeds that can be chosen. */
export const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const

/** The keys of a video work wherever the focus is, but buttons keep Space. */
export function useVideoKeys(video: RefObject<HTMLVideoElement | null>, isOn: boolean): void {
  // Registered before the paint. It captures the keys, because the browser's own player and the page have others.
  useLayoutEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent) => {
      if (!video.current || !onVideoKey(event, video.current)) return
      event.preventDefault()
      event.stopPropagation()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [video, isOn])
}

/** Returns true if the key was one of a video. */
function onVideoKey(event: KeyboardEvent, video: HTMLVideoElement): boolean {
  const { key, ctrlKey, metaKey, altKey, target } = event
  if (ctrlKey || metaKey || altKey || !isPageShortcut(event)) return false
  if (target instanceof Element && target.closest('[data-part=music], [inert]')) return false
  if (key === ' ') {
    if (target instanceof Element && target.closest('button, a')) return false
    if (!event.repeat) togglePlaying(video)
    return true
  }
  const act = ownEntry(actions, key.length === 1 ? key.toLowerCase() : key)
  act?.(video)
  return act !== undefined
}

const actions: Partial<Record<string, (video: HTMLVideoElement) => void>> = {
  // Players show time from left to right in all languages.
  ArrowLeft: (video) => seekBy(video, -seekSeconds),
  ArrowRight: (video) => seekBy(video, seekSeconds),
  m: (video) => {
    video.muted = !video.muted
  },
  '<': (video) => changeSpeed(video, -1),
  '>': (video) => changeSpeed(video, 1),
}

function togglePlaying(video: HTMLVideoElement): void {
  // The browser may refuse; then the video stays as it is.
  if (video.paused) void video.play().catch(() => undefined)
  else video.pause()
}

function seekBy(video: HTMLVideoElement, seconds: number): void {
  if (video.readyState === 0) return
  video.currentTime = Math.min(Math.max(0, video.currentTime + seconds), video.duration || 0)
}

function changeSpeed(video: HTMLVideoElement, by: 1 | -1): void {
  const at = speeds.findIndex((speed) => speed >= video.playbackRate)
  video.playbackRate = speeds[Math.min(Math.max(0, at + by), speeds.length - 1)] ?? 1
}
