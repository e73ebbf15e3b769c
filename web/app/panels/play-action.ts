import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { ListPlus, Play } from 'lucide-react'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { isPreviewOnly } from '#web/api/preview-only.ts'
import { audioFilesOf } from '#web/app/pages/audio-files.ts'
import { music } from '#web/features/preview/music/music-state.ts'
import { quoted } from '#web/shared/undo/change-text.ts'
import { loadLater } from '#web/ui/loading/load-later.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** Plays one audio file and those after it in its folder, or only the selected ones. */
export const playAction: Action = {
  id: 'play',
  label: msg`Play`,
  icon: Play,
  visible: areTracks,
  run: async ({ chosen }) => {
    const { playTracks } = await loadLater(() => import('#web/app/chunks/later-music.ts'))
    const [first] = chosen
    if (!first) return
    if (chosen.length > 1) return playTracks(chosen)
    const all = audioFilesOf(first.path)
    const at = all.findIndex(({ path }) => path === first.path)
    if (at < 0) playTracks([first])
    else playTracks(all, at)
  },
}

/** Plays the selected audio files after those that are in the queue. */
export const enqueueAction: Action = {
  id: 'enqueue',
  label: msg`Add to the queue`,
  icon: ListPlus,
  visible: (context) => areTracks(context) && music.tracks.length > 0,
  run: async ({ chosen }) => {
    const { addTracks } = await loadLater(() => import('#web/app/chunks/later-music.ts'))
    addTracks(chosen)
    const [first] = chosen
    const text =
      first && chosen.length === 1
        ? i18n._(msg`Added ${quoted(first.name)} to the queue`)
        : plural(chosen.length, { one: 'Added # track to the queue', other: 'Added # tracks to the queue' })
    showToast('success', text)
  },
}

function areTracks({ folder, chosen, may }: ActionContext): boolean {
  const isAllowed = folder !== undefined && may.download && !isPreviewOnly()
  return isAllowed && chosen.length > 0 && chosen.every(({ type, isDir }) => !isDir && type === 'audio')
}
