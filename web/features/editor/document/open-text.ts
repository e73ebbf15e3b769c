import { MapMode, type Text } from '@codemirror/state'
import type { ViewUpdate } from '@codemirror/view'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ref } from 'valtio'
import type { FileView } from '#contract/resources.ts'
import { hideStart, replaceStart } from '#web/features/editor/view/hidden-start.ts'
import { editorPhrases } from '#web/features/editor/view/words.ts'
import { ownChange } from '#web/shared/live/own-changes.ts'
import { guardNavigation } from '#web/shared/navigation-guard.ts'
import { session } from '#web/shared/session.ts'
import { createView } from './create-view.ts'
import { storeDraft, takeDraft } from './drafts.ts'
import { editor, type PendingForm } from './editor-state.ts'
import { isDirty, type OpenText, replaceText, updateEditorState } from './held-text.ts'
import { decodeText } from './line-endings.ts'
import { noticeVersion } from './notice-version.ts'
import { createSaveCommands } from './saving.ts'

interface Options {
  file: FileView
  /** The ETag of the version that `file.content` holds. */
  etag: string
  isWrapped: boolean
  i18n: I18n
  /** Called with the text at first and after every change. */
  onText: OnText
}

/**
 * @param move returns where a position of the last text is in this one; unchanged if the text around it was replaced
 */
type OnText = (doc: Text, move: (position: number) => number) => void

/**
 * Opens the text of `file` in `host` and restores its draft, if one was stored when the session ended. Returns a
 * function that closes it.
 */
export function openText(host: HTMLElement, { file, etag, isWrapped, i18n, onText }: Options): () => void {
  const owner = session.user?.id ?? 0
  const isReadOnly = file.type !== 'text'
  const { lines, format } = decodeText(file.content ?? '')
  const { view, setWrap, find } = createView(host, {
    name: file.name,
    lines,
    isReadOnly,
    isWrapped,
    phrases: editorPhrases(i18n),
    description: i18n._(msg`Press Esc, then Tab to leave the editor`),
    onUpdate: (update) => onViewUpdate(text, update, onText),
  })
  const text: OpenText = {
    file,
    view,
    format,
    saved: { doc: view.state.doc, etag },
    runningSave: undefined,
    pending: undefined,
    isShown: true,
  }
  // Read-only text has no draft. In a share, a draft could belong to another file with the same path.
  const draft = isReadOnly ? undefined : takeDraft(owner, file.path)
  Object.assign(editor, {
    isDirty: false,
    isSaving: false,
    isRestored: draft !== undefined,
    outside: undefined,
    line: 1,
    column: 1,
  })
  onText(view.state.doc, (position) => position)
  if (draft) {
    replaceText(view, draft.doc)
    // The draft is based on this version. If the server has another one, saving reports the conflict.
    text.saved.etag = draft.etag
  }
  const { reload, ...commands } = createSaveCommands(text)
  const update = () => reload({ keepsUnsaved: true })
  const findInSight = () => {
    if (!host.hidden) find()
    return !host.hidden
  }
  editor.open = ref({
    ...commands,
    find: findInSight,
    setWrap,
    focus: () => view.focus(),
    reload: () => reload(),
    noticeVersion: (readEtag: () => Promise<string | undefined>) => noticeVersion(text, readEtag, update),
    refresh: () => ownChange(() => refresh(text, update)),
    replaceStart: (length: number, start: string) => replaceStart(view, length, start),
    hideStart: (length: number) => hideStart(view, length),
    setPending: (form: PendingForm | undefined) => {
      text.pending = form
      updateEditorState(text)
    },
  })
  const unguard = guardNavigation({
    // After the end of the session, no question can be asked. The text is stored as a draft.
    isNeeded: () => session.user !== undefined && isDirty(text),
    resolveUnsaved: commands.resolveUnsaved,
  })
  if (file.size === 0) view.focus()
  return () => {
    unguard()
    text.pending = undefined
    if (isDirty(text)) storeDraft(owner, file.path, { doc: view.state.doc, etag: text.saved.etag })
    text.isShown = false
    Object.assign(editor, { open: undefined, isDirty: false, isSaving: false })
    view.destroy()
  }
}

async function refresh(text: OpenText, update: () => Promise<boolean>): Promise<void> {
  if (text.isShown && !isDirty(text)) await update()
}

function onViewUpdate(text: OpenText, update: ViewUpdate, onText: OnText): void {
  const { doc, selection } = update.state
  if (update.docChanged) {
    updateEditorState(text)
    onText(doc, (position) => update.changes.mapPos(position, -1, MapMode.TrackDel) ?? position)
  }
  if (!update.docChanged && !update.selectionSet) return
  const line = doc.lineAt(selection.main.head)
  Object.assign(editor, { line: line.number, column: selection.main.head - line.from + 1 })
}
