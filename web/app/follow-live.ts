import { subscribe } from 'valtio'
import { editor } from '#web/features/editor/document/editor-state.ts'
import { checkFileSoon, concernsFile } from '#web/features/files/live/follow-file.ts'
import {
  concernsList,
  refreshIfChanged,
  refreshSoon,
  shownFolder,
  watchLoading,
} from '#web/features/files/live/follow-list.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { watchPointer } from '#web/shared/lists/pointer.ts'
import { setShownFolders, startLive } from '#web/shared/live/live.ts'
import { onLiveChange } from '#web/shared/live/live-changes.ts'

/** Keeps the list and the open file as they are on the server, whoever changes them. Called once. */
export function followLive(): void {
  watchPointer()
  watchLoading()
  const checkFile = () => checkFileSoon(() => editor.open?.noticeVersion)
  onLiveChange((change) => {
    if (concernsList(change)) refreshSoon()
    if (concernsFile(change)) checkFile()
  })
  let last: string | undefined
  const follow = () => {
    const folder = shownFolder()
    if (folder === last) return
    last = folder
    setShownFolders(folder === undefined ? [] : [folder])
  }
  subscribe(files, follow)
  follow()
  startLive(() => {
    refreshIfChanged()
    // The time of its folder says nothing about the content of the open file.
    if (files.file) checkFile()
  })
}
