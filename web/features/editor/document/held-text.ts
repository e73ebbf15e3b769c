import type { Text } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { FileView } from '#contract/resources.ts'
import { smallestChange } from '#web/features/editor/view/hidden-start.ts'
import { announceText } from '#web/shared/changes.ts'
import { editor, type PendingForm } from './editor-state.ts'
import { encodeText, type TextFormat } from './line-endings.ts'

/** An open text: the editor, and the last version known to be on the server. */
export interface OpenText {
  readonly file: FileView
  readonly view: EditorView
  format: TextFormat
  saved: { doc: Text; etag: string }
  /** The running save; resolves like `TextHandle.save`. */
  runningSave: Promise<boolean> | undefined
  /** Changes of a form that the text does not contain yet. */
  pending: PendingForm | undefined
  /** False once the page shows something else. A response that arrives later must not change the page. */
  isShown: boolean
}

/** Replaces the whole text with `doc`, as one change that can be undone. */
export function replaceText(view: EditorView, doc: Text): void {
  view.dispatch({ changes: smallestChange(view.state.doc.toString(), doc.toString()) })
}

/** Whether the editor differs from the version on the server. */
export function isDirty({ view, saved, pending }: OpenText): boolean {
  return pending !== undefined || !view.state.doc.eq(saved.doc)
}

/** Records and announces the version that the server has. Messages about other versions are no longer true. */
export function setSaved(text: OpenText, saved: OpenText['saved']): void {
  text.saved = saved
  const content = encodeText(saved.doc.toJSON(), text.format)
  announceText({ path: text.file.path, content, etag: saved.etag })
  if (text.isShown) editor.outside = undefined
}

/** Updates the editor state, unless the page shows another text. */
export function updateEditorState(text: OpenText): void {
  if (!text.isShown) return
  editor.isDirty = isDirty(text)
  editor.isSaving = text.runningSave !== undefined
  if (!editor.isDirty) editor.isRestored = false
}
