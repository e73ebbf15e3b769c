import type { Text } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { FileView } from '#contract/resources.ts'
import { editor } from './editor-state.ts'
import type { TextFormat } from './line-endings.ts'

/** A text while it is open: what is on the screen, and what the server has, as far as is known here. */
export interface OpenText {
  readonly file: FileView
  readonly view: EditorView
  packing: TextFormat
  saved: { doc: Text; etag: string }
  /** The save that is on its way; answers as `TextHandle.save` does. */
  travelling: Promise<boolean> | undefined
  /** False once the page shows something else: what arrives for it then is nobody's affair. */
  isShown: boolean
}

/** Puts `doc` in the place of all that is there, as one change that can be undone. */
export function replaceText(view: EditorView, doc: Text): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc } })
}

/** Whether the screen shows something that the server has not. */
export function isDirty({ view, saved }: OpenText): boolean {
  return !view.state.doc.eq(saved.doc)
}

/** Tells the frame how the text stands, as long as it is this text that the frame is about. */
export function noteState(text: OpenText): void {
  if (!text.isShown) return
  editor.isDirty = isDirty(text)
  editor.isSaving = text.travelling !== undefined
  if (!editor.isDirty) editor.isRestored = false
}
