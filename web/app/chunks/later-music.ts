// One chunk for the player of music, because many sessions play nothing.
export { MusicBar } from '#web/features/preview/music/music-bar.tsx'
export { MusicPage } from '#web/features/preview/music/music-page.tsx'
export { addTracks, playTracks } from '#web/features/preview/music/music-player.ts'
