import { Text } from '@codemirror/state'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { go, parentOf, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { tell } from '#web/ui/toasts.ts'
import { isDirty, noteState, type OpenText, replaceText } from './held-text.ts'
import { decodeText, encodeText } from './line-endings.ts'
import { fetchText, saveText, saveTextAs } from './save-text.ts'

const Unsaved = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Unsaved)
const Changed = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Changed)
const SaveAs = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).SaveAs)

/** Saves an open text. Asks before it overwrites someone else's change or discards unsaved text. */
export function saving(text: OpenText) {
  const { file, view } = text

  async function save(): Promise<boolean> {
    // The next save sends what was typed during a running save. A failed save is not retried automatically.
    while (text.travelling) if (!(await text.travelling)) return false
    if (!isDirty(text)) return true
    text.travelling = put(text.saved.etag)
      .catch(onRefusal)
      .finally(() => {
        text.travelling = undefined
        noteState(text)
      })
    noteState(text)
    return text.travelling
  }

  async function put(etag?: string): Promise<boolean> {
    // This save does not include text that is typed during the request.
    const { doc } = view.state
    const newEtag = await saveText(file.path, encodeText(doc.toJSON(), text.packing), etag)
    text.saved = { doc, etag: newEtag }
    return true
  }

  async function onRefusal(error: unknown): Promise<boolean> {
    // The user has left the text: it was discarded, or it is stored as a draft.
    if (!text.isShown) return false
    if (codeOf(error) !== 'path.changed') return showError(error)
    const choice = await ask(Changed, { name: file.name, mayCreate: session.user?.perm.create ?? false })
    if (choice === 'reload') return reload().catch(showError)
    if (choice === 'overwrite') return put().catch(showError)
    return choice === 'save-as' && (await saveAs())
  }

  /** Loads the version on the server. Undo restores the local text. */
  async function reload(): Promise<boolean> {
    const fetched = await fetchText(file.path)
    if (!fetched) {
      tell('error', i18n._(msg`This file is no longer text. Save your text under another name.`))
      return false
    }
    const { lines, packing } = decodeText(fetched.content)
    const doc = Text.of(lines)
    text.packing = packing
    text.saved = { doc, etag: fetched.etag }
    replaceText(view, doc)
    noteState(text)
    return true
  }

  async function saveAs(): Promise<boolean> {
    const { doc } = view.state
    const content = encodeText(doc.toJSON(), text.packing)
    const folder = parentOf(file.path)
    const name = await ask(SaveAs, { name: file.name, save: (name) => saveTextAs(folder + name, content) })
    if (name === undefined) return false
    text.saved.doc = doc
    noteState(text)
    go(paths.files(folder + name), { replace: true })
    return true
  }

  async function settle(): Promise<boolean> {
    const answer = await ask(Unsaved, { name: file.name })
    if (answer === 'discard') discard()
    return answer === 'save' ? save() : answer === 'discard'
  }

  function discard(): void {
    replaceText(view, text.saved.doc)
  }

  return { save, settle, discard }
}

/** Shows the error. */
function showError(error: unknown): false {
  tell('error', i18n._(problemText(codeOf(error))))
  return false
}
