import { isChanging, ownChangesEnd } from '#web/shared/live/own-changes.ts'
import { editor } from './editor-state.ts'
import { isDirty, type OpenText } from './held-text.ts'

/**
 * Compares the version that the server has with the open text. Loads another version if the text has no unsaved changes,
 * and tells the user.
 *
 * @param readEtag reads the version on the server; undefined: the file has gone
 * @param reload loads the version on the server, unless there are unsaved changes. Returns whether it did.
 */
export async function noticeVersion(
  text: OpenText,
  readEtag: () => Promise<string | undefined>,
  reload: () => Promise<boolean>,
): Promise<void> {
  const etag = await readBetweenWrites(text, readEtag)
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

/** Reads the version while this page does not change the file. A version that it is about to replace says nothing. */
async function readBetweenWrites(text: OpenText, readEtag: () => Promise<string | undefined>) {
  for (;;) {
    await ownWritesEnd(text)
    const known = text.saved
    const etag = await readEtag()
    if (!text.isShown || (text.saved === known && !isWriting(text))) return etag
  }
}

/** Whether this page is saving the text, or gives the file another content in another way. */
function isWriting(text: OpenText): boolean {
  return text.runningSave !== undefined || isChanging()
}

async function ownWritesEnd(text: OpenText): Promise<void> {
  while (isWriting(text)) await (text.runningSave ?? ownChangesEnd())
}
