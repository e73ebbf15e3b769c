import { files } from '#web/features/files/state/files-state.ts'
import type { Track } from '#web/features/preview/music/music-state.ts'
import { parentOf } from '#web/shared/paths.ts'

/** The audio files of the folder of `path`, in the order of the list; none while the list is not loaded. */
export function audioFilesOf(path: string): readonly Track[] {
  if (files.folder?.path !== parentOf(path)) return []
  return files.folder.items.flatMap((item) =>
    !item.isDir && item.type === 'audio' ? { path: item.path, name: item.name } : [],
  )
}
