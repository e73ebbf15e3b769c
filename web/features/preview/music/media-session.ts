import { nameOf, parentOf } from '#web/shared/paths.ts'
import type { Track } from './music-state.ts'

interface Controls {
  play(): void
  pause(): void
  skip(by: 1 | -1): void
  seekTo(seconds: number): void
  /** The current position in seconds. */
  time(): number
}

/** How far the keys of a device seek, in seconds. */
const step = 10

/** The media keys and the lock screen of the device show the track and control it, where the browser supports it. */
export function showTrack({ name, path }: Track, controls: Controls): void {
  if (!('mediaSession' in navigator)) return
  navigator.mediaSession.metadata = new MediaMetadata({ title: name, album: nameOf(parentOf(path)) })
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: controls.play,
    pause: controls.pause,
    stop: controls.pause,
    previoustrack: () => controls.skip(-1),
    nexttrack: () => controls.skip(1),
    seekto: ({ seekTime }) => controls.seekTo(seekTime ?? 0),
    seekbackward: ({ seekOffset }) => controls.seekTo(controls.time() - (seekOffset ?? step)),
    seekforward: ({ seekOffset }) => controls.seekTo(controls.time() + (seekOffset ?? step)),
  }
  for (const [action, handler] of Object.entries(handlers)) handle(action as MediaSessionAction, handler)
}

/** Shows the position of `audio`, and whether it plays. */
export function showPosition({ duration, currentTime, playbackRate, paused }: HTMLAudioElement): void {
  if (!('mediaSession' in navigator)) return
  navigator.mediaSession.playbackState = paused ? 'paused' : 'playing'
  if (!Number.isFinite(duration)) return
  navigator.mediaSession.setPositionState?.({
    duration,
    position: Math.min(currentTime, duration),
    playbackRate,
  })
}

/** The device shows nothing any more. */
export function forgetMedia(): void {
  if (!('mediaSession' in navigator)) return
  navigator.mediaSession.metadata = null
  navigator.mediaSession.playbackState = 'none'
  for (const action of [
    'play',
    'pause',
    'stop',
    'previoustrack',
    'nexttrack',
    'seekto',
    'seekbackward',
    'seekforward',
  ])
    handle(action as MediaSessionAction, null)
}

function handle(action: MediaSessionAction, handler: MediaSessionActionHandler | null): void {
  try {
    navigator.mediaSession.setActionHandler(action, handler)
  } catch {
    // The browser does not know this action.
  }
}
