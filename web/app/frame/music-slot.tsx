import { useSnapshot } from 'valtio'
import { music } from '#web/features/preview/music/music-state.ts'
import { lazy } from '#web/ui/lazy.tsx'

const MusicBar = lazy(async () => (await import('#web/app/chunks/later-music.ts')).MusicBar)

/** The player of music, on every page while there is a queue. */
export function MusicSlot() {
  return useSnapshot(music).tracks.length > 0 ? <MusicBar /> : null
}
