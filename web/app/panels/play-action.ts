import { msg } from '@lingui/core/macro'
import { Play } from 'lucide-react'
import type { Action } from '#web/actions/action.ts'
import { audioFilesOf } from '#web/app/pages/audio-files.ts'

/** Plays one audio file and those after it in its folder, or only the selected ones. */
export const playAction: Action = {
  id: 'play',
  label: msg`Play`,
  icon: Play,
  visible: ({ folder, chosen, may, isShare }) =>
    folder !== undefined &&
    may.download &&
    !isShare &&
    chosen.length > 0 &&
    chosen.every(({ type, isDir }) => !isDir && type === 'audio'),
  run: async ({ chosen }) => {
    const { playTracks } = await import('#web/app/chunks/later-music.ts')
    const [first] = chosen
    if (!first) return
    if (chosen.length > 1) return playTracks(chosen)
    const all = audioFilesOf(first.path)
    const at = all.findIndex(({ path }) => path === first.path)
    if (at < 0) playTracks([first])
    else playTracks(all, at)
  },
}
