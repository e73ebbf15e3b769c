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
  let etag: string | undefined
  let known: OpenText['saved']
  do {
    await ownWritesEnd(text)
    known = text.saved
    etag = await readEtag()
    // If this page has changed the file meanwhile, the version may be the one before.
  } while (text.isShown && (isWriting(text) || text.saved !== known))
  if (!text.isShown) return
  if (etag === known.etag) {
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

/** Whether this page is saving the text, or gives the file another content in another way. */
function isWriting(text: OpenText): boolean {
  return text.runningSave !== undefined || isChanging()
}

async function ownWritesEnd(text: OpenText): Promise<void> {
  while (isWriting(text)) await (text.runningSave ?? ownChangesEnd())
}
