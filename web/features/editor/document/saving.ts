import { Text } from '@codemirror/state'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { navigateTo, parentOf, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { isDirty, type OpenText, replaceText, setSaved, updateEditorState } from './held-text.ts'
import { decodeText, encodeText } from './line-endings.ts'
import { fetchText, saveText, saveTextAs } from './save-text.ts'

const UnsavedChangesDialog = lazy(
  async () => (await import('#web/app/chunks/later-dialogs.ts')).UnsavedChangesDialog,
)
const TextConflictDialog = lazy(
  async () => (await import('#web/app/chunks/later-dialogs.ts')).TextConflictDialog,
)
const SaveAsDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).SaveAsDialog)

/** Saves an open text. Asks before it overwrites someone else's change or discards unsaved text. */
export function createSaveCommands(text: OpenText) {
  const { file, view } = text

  async function save(): Promise<boolean> {
    // The next save sends what was typed during a running save. A failed save is not retried automatically.
    while (text.runningSave) if (!(await text.runningSave)) return false
    if (text.pending && !(await text.pending.flush())) return false
    if (!isDirty(text)) return true
    text.runningSave = put(text.saved.etag)
      .catch(onRefusal)
      .finally(() => {
        text.runningSave = undefined
        updateEditorState(text)
      })
    updateEditorState(text)
    return text.runningSave
  }

  async function put(etag?: string): Promise<boolean> {
    // This save does not include text that is typed during the request.
    const { doc } = view.state
    const newEtag = await saveText(file.path, encodeText(doc.toJSON(), text.format), etag)
    setSaved(text, { doc, etag: newEtag })
    return true
  }

  async function onRefusal(error: unknown): Promise<boolean> {
    // The user has left the text: it was discarded, or it is stored as a draft.
    if (!text.isShown) return false
    if (codeOf(error) !== 'path.changed') return showError(error)
    const choice = await ask(TextConflictDialog, {
      name: file.name,
      mayCreate: session.user?.perm.create ?? false,
    })
    if (choice === 'reload') return reload().catch(showError)
    if (choice === 'overwrite') return put().catch(showError)
    return choice === 'save-as' && (await saveAs())
  }

  /**
   * Loads the version on the server. Undo restores the local text.
   *
   * @param keepsUnsaved does nothing if the text has unsaved changes when the version has arrived
   */
  async function reload({ keepsUnsaved = false } = {}): Promise<boolean> {
    const fetched = await fetchText(file.path)
    if (keepsUnsaved && isDirty(text)) return false
    if (!fetched) {
      showToast('error', i18n._(msg`This file is no longer text. Save your text under another name.`))
      return false
    }
    const { lines, format } = decodeText(fetched.content)
    const doc = Text.of(lines)
    text.format = format
    setSaved(text, { doc, etag: fetched.etag })
    replaceText(view, doc)
    updateEditorState(text)
    return true
  }

  async function saveAs(): Promise<boolean> {
    const { doc } = view.state
    const content = encodeText(doc.toJSON(), text.format)
    const folder = parentOf(file.path)
    const name = await ask(SaveAsDialog, {
      name: file.name,
      save: (name) => saveTextAs(folder + name, content),
    })
    if (name === undefined) return false
    text.saved.doc = doc
    updateEditorState(text)
    navigateTo(paths.files(folder + name), { replace: true })
    return true
  }

  async function resolveUnsaved(): Promise<boolean> {
    const answer = await ask(UnsavedChangesDialog, { name: file.name })
    if (answer === 'discard') discard()
    return answer === 'save' ? save() : answer === 'discard'
  }

  function discard(): void {
    text.pending?.drop()
    text.pending = undefined
    replaceText(view, text.saved.doc)
  }

  return { save, resolveUnsaved, discard, reload: (how?: Reload) => reload(how).catch(showError) }
}

/** How a text is loaded again. */
export interface Reload {
  keepsUnsaved?: boolean
}

/** Shows the error. */
function showError(error: unknown): false {
  showToast('error', i18n._(problemText(codeOf(error))))
  return false
}
