import { editor } from './editor-state.ts'
import { isDirty, type OpenText } from './held-text.ts'

/**
 * Compares the version that the server has with the open text. Loads another version if the text has no unsaved changes,
 * and tells the user.
 *
 * @param etag undefined: the file has gone
 * @param reload loads the version on the server, unless there are unsaved changes. Returns whether it did.
 */
export async function noticeVersion(
  text: OpenText,
  etag: string | undefined,
  reload: () => Promise<boolean>,
): Promise<void> {
  // The version may be the one that this page is saving.
  while (text.runningSave) await text.runningSave
  if (!text.isShown) return
  if (etag === text.saved.etag) {
    // The file is back, for example from the trash.
    if (editor.outside === 'gone') editor.outside = undefined
  } else if (etag === undefined) editor.outside = 'gone'
  else {
    const isLoaded = !isDirty(text) && (await reload())
    if (isLoaded) editor.outside = 'shown'
    // The user may have typed meanwhile.
    else if (isDirty(text)) editor.outside = 'changed'
  }
}
