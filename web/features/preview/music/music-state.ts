import { proxy, ref } from 'valtio'

/** An audio file of the queue. */
export interface Track {
  /** Decoded. */
  path: string
  name: string
}

/** What is played. The first load needs only this file: without tracks, there is no player. */
export const music = proxy({
  tracks: ref([]) as readonly Track[],
  /** The index of the current track. */
  at: 0,
  isPlaying: false,
  /** The position and the length of the current track, in seconds; the length is 0 while it is unknown. */
  time: 0,
  length: 0,
  /** From 0 to 1. */
  volume: 1,
  isMuted: false,
  /** The name of the last file that could not be played. */
  failed: '',
  /** The server cannot be reached. */
  isLost: false,
  /** The page of the current track shows the controls. */
  isOpen: false,
})
