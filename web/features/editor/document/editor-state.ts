import { proxy } from 'valtio'

/** The commands that the page around an open text may call. */
export interface EditorCommands {
  /** Saves the changes. Returns false when that failed; the user has then seen the error. */
  save(): Promise<boolean>
  /** Asks what to do with unsaved changes and does it. Returns false when the user wants to stay. */
  resolveUnsaved(): Promise<boolean>
  /** Opens the search panel. Returns false when the text pane is hidden. */
  find(): boolean
  setWrap(isOn: boolean): void
  /** Discards unsaved changes. Undo restores them. */
  discard(): void
}

/** The state of the open text, for the page and the status line. The editor itself is loaded later. */
export const editor = proxy({
  /** Undefined while no text is open. */
  open: undefined as EditorCommands | undefined,
  isDirty: false,
  isSaving: false,
  /** The editor shows a draft that was not saved when the session ended. */
  isRestored: false,
  /** The cursor position, counted from 1. */
  line: 1,
  column: 1,
})
