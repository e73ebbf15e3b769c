import type { Text } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { FileView } from '#contract/resources.ts'
import { editor } from './editor-state.ts'
import type { TextFormat } from './line-endings.ts'

/** An open text: the editor, and the last version known to be on the server. */
export interface OpenText {
  readonly file: FileView
  readonly view: EditorView
  format: TextFormat
  saved: { doc: Text; etag: string }
  /** The running save; resolves like `TextHandle.save`. */
  runningSave: Promise<boolean> | undefined
  /** False once the page shows something else. A response that arrives later must not change the page. */
  isShown: boolean
}

/** Replaces the whole text with `doc`, as one change that can be undone. */
export function replaceText(view: EditorView, doc: Text): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc } })
}

/** Whether the editor differs from the version on the server. */
export function isDirty({ view, saved }: OpenText): boolean {
  return !view.state.doc.eq(saved.doc)
}

/** Updates the editor state, unless the page shows another text. */
export function updateEditorState(text: OpenText): void {
  if (!text.isShown) return
  editor.isDirty = isDirty(text)
  editor.isSaving = text.runningSave !== undefined
  if (!editor.isDirty) editor.isRestored = false
}
