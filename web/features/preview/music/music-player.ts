import { ref, subscribe } from 'valtio'
import { origin } from '#web/api/origin.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { rawAddress } from '#web/api/raw.ts'
import { type Move, onChange, pathAfter } from '#web/shared/changes.ts'
import { nameOf, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { forgetMedia, showPosition, showTrack } from './media-session.ts'
import { music, type Track } from './music-state.ts'

/** The only player of music. It is not part of the page, so that music goes on while the page changes. */
const audio = new Audio()

/** Counts the loaded tracks, so that an address that arrives late is not used. */
let loads = 0
/** The address of the current track has expired, and a new one was requested. */
let isRenewed = false
/** The share of the tracks; undefined: they are the user's own files. */
let share: string | undefined
/** Where the track continues when it has loaded, in seconds. */
let startAt = 0
/** Pressing Previous later than this starts the track again, in seconds. */
const restartAfter = 3

/** Plays `tracks`, beginning with the track `at`. */
export function playTracks(tracks: readonly Track[], at = 0): void {
  share = origin.link?.hash
  Object.assign(music, { tracks: ref([...tracks]), at, failed: '', isLost: false })
  void load()
}

/** The page of the file or folder at `path`, from which a track is played. */
export function pageOfTrack(path: string): string {
  return share === undefined ? paths.files(path) : paths.share(share, path)
}

/** Plays the file at `path` and then the tracks after it, unless it is the current track. */
export function playFile(path: string, tracks: readonly Track[]): void {
  const isCurrent = currentTrack()?.path === path && share === origin.link?.hash
  const at = tracks.findIndex((track) => track.path === path)
  const queue = at < 0 ? [{ path, name: nameOf(path) }] : tracks
  if (!isCurrent) playTracks(queue, Math.max(0, at))
  // The list of the folder may arrive after the file.
  else if (music.tracks.length === 1) Object.assign(music, { tracks: ref([...queue]), at: Math.max(0, at) })
}

/** The current track; undefined if nothing is played. */
export function currentTrack(): Track | undefined {
  return music.tracks[music.at]
}

/** Plays, or stops at the current position. */
export function togglePlaying(): void {
  if (!audio.paused) audio.pause()
  else play()
}

function play(): void {
  if (audio.src && !audio.error) void audio.play().catch(() => undefined)
  else void load(music.time)
}

/** Goes to the track `at` of the queue. */
export function goToTrack(at: number): void {
  if (at === music.at || !music.tracks[at]) return
  Object.assign(music, { at, failed: '' })
  void load()
}

/** Adds tracks to the end of the queue. Without a queue here, plays them. */
export function addTracks(tracks: readonly Track[]): void {
  if (music.tracks.length === 0 || share !== origin.link?.hash) playTracks(tracks)
  else music.tracks = ref([...music.tracks, ...tracks])
}

/** Goes to the next (1) or the previous (-1) track. Previous first returns to the start of the track. */
export function skip(by: 1 | -1): void {
  const at = music.at + by
  if (by < 0 && (audio.currentTime > restartAfter || at < 0)) seekTo(0)
  else goToTrack(at)
}

/** Continues at `seconds`. */
export function seekTo(seconds: number): void {
  if (!audio.src) return
  audio.currentTime = Math.min(Math.max(0, seconds), audio.duration || 0)
  music.time = audio.currentTime
  showPosition(audio)
}

/** Sets the volume, from 0 to 1. */
export function setVolume(volume: number): void {
  audio.volume = volume
  audio.muted = false
}

/** Turns the sound off or on. */
export function toggleMuted(): void {
  audio.muted = !audio.muted
}

/** Stops and forgets the queue. */
export function closeMusic(): void {
  loads++
  audio.pause()
  audio.removeAttribute('src')
  audio.load()
  forgetMedia()
  Object.assign(music, { tracks: ref([]), at: 0, isPlaying: false, time: 0, length: 0, failed: '' })
}

async function load(at = 0): Promise<void> {
  const track = currentTrack()
  // The page shows something else now, from which the track has no address.
  if (!track || share !== origin.link?.hash) {
    closeMusic()
    return
  }
  const id = ++loads
  audio.pause()
  Object.assign(music, { time: at, length: at > 0 ? music.length : 0, isPlaying: true, isLost: false })
  startAt = at
  showTrack(track, { play, pause: () => audio.pause(), skip, seekTo, time: () => audio.currentTime })
  try {
    const address = await rawAddress(track.path, true)
    if (id !== loads) return
    audio.src = address
    // The browser may wait for a press of the user, and a broken file has an event of its own.
    audio.play().catch(() => {
      if (id === loads && audio.paused) music.isPlaying = false
    })
  } catch (error) {
    if (id !== loads) return
    if (codeOf(error).startsWith('network.')) Object.assign(music, { isLost: true, isPlaying: false })
    else giveUp(track)
  }
}

/** Goes on to the next track, because this one cannot be played. */
function giveUp({ name }: Track): void {
  isRenewed = false
  const isLast = music.at + 1 >= music.tracks.length
  if (!isLast) skip(1)
  Object.assign(music, { failed: name, ...(isLast && { isPlaying: false }) })
}

/** An address expires after a minute, and seeking needs a new one. A file that never played is broken. */
function onError(): void {
  const track = currentTrack()
  if (!track || !audio.getAttribute('src')) return
  if (isRenewed || music.time === 0) giveUp(track)
  else {
    isRenewed = true
    void load(music.time)
  }
}

function onEnded(): void {
  if (music.at + 1 < music.tracks.length) skip(1)
  else music.isPlaying = false
}

const handlers: Record<string, () => void> = {
  play: () => {
    music.isPlaying = true
    showPosition(audio)
  },
  pause: () => {
    // Between two tracks, the button does not change.
    if (!audio.ended && audio.readyState > 0) music.isPlaying = false
    showPosition(audio)
  },
  timeupdate: () => {
    if (audio.currentTime > 0) music.time = audio.currentTime
    if (audio.currentTime > startAt) isRenewed = false
  },
  loadedmetadata: () => {
    if (startAt > 0) audio.currentTime = startAt
    music.length = Number.isFinite(audio.duration) ? audio.duration : 0
    showPosition(audio)
  },
  durationchange: () => {
    music.length = Number.isFinite(audio.duration) ? audio.duration : 0
  },
  volumechange: () => Object.assign(music, { volume: audio.volume, isMuted: audio.muted }),
  ended: onEnded,
  error: onError,
}
for (const [event, handle] of Object.entries(handlers)) audio.addEventListener(event, handle)

// A video, or a file in the preview above the list, does not play at the same time.
document.addEventListener('play', () => audio.pause(), true)

onChange(({ moved }) => followMoves(moved))

/** Keeps the queue when its files or their folders were renamed or moved. */
function followMoves(moved: readonly Move[] | undefined): void {
  const tracks = music.tracks.map((track) => {
    const path = pathAfter(track.path, moved)
    return path === track.path ? track : { path, name: nameOf(path) }
  })
  if (tracks.some((track, at) => track !== music.tracks[at])) music.tracks = ref(tracks)
}

const owner = { id: session.user?.id }
subscribe(session, () => {
  const id = session.user?.id
  if (id !== owner.id) closeMusic()
  owner.id = id
})
