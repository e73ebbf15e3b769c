import { proxy } from 'valtio'
import { readStored, writeStored } from '#web/shared/preferences.ts'

/** What the viewer of pictures shows besides the picture. */
export const viewer = proxy({
  /** The film strip is switched off on this device only. */
  hasFilmStrip: readStored('filmStrip') !== 'off',
  /** A slide show goes on by itself, or waits for the user. */
  slideShow: 'off' as 'off' | 'on' | 'paused',
})

export function toggleFilmStrip(): void {
  viewer.hasFilmStrip = !viewer.hasFilmStrip
  writeStored('filmStrip', viewer.hasFilmStrip ? undefined : 'off')
}
