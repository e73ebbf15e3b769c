import type { Text } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { FileView } from '#contract/resources.ts'
import { editor } from './editor-state.ts'
import type { Packing } from './packing.ts'

/** A text while it is open: what is on the screen, and what the server has, as far as is known here. */
export interface OpenText {
  readonly file: FileView
  readonly view: EditorView
  packing: Packing
  saved: { doc: Text; etag: string }
}

/** Puts `doc` in the place of all that is there, as one change that can be undone. */
export function replaceText(view: EditorView, doc: Text): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc } })
}

/** Whether the screen shows something that the server has not. */
export function noteDirty({ view, saved }: OpenText): void {
  editor.isDirty = !view.state.doc.eq(saved.doc)
  if (!editor.isDirty) editor.isRestored = false
}
