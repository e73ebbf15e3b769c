import { proxy } from 'valtio'

/** Changes of a form above the text that the text does not contain yet. */
export interface PendingForm {
  /** Writes them into the text. Returns false when that failed; the user has then seen the error. */
  flush(): Promise<boolean>
  /** Forgets them. */
  drop(): void
}

/** The commands that the page around an open text may call. */
export interface EditorCommands {
  /** Saves the changes. Returns false when that failed; the user has then seen the error. */
  save(): Promise<boolean>
  /** Asks what to do with unsaved changes and does it. Returns false when the user wants to stay. */
  resolveUnsaved(): Promise<boolean>
  /** Opens the search panel. Returns false when the text pane is hidden. */
  find(): boolean
  setWrap(isOn: boolean): void
  /** Moves the focus to the text. */
  focus(): void
  /** Discards unsaved changes. Undo restores them. */
  discard(): void
  /** Loads the version on the server. Undo restores the old text. */
  reload(): Promise<unknown>
  /**
   * Compares the open text with the version on the server. Loads that version, unless there are unsaved changes.
   * `readEtag` returns undefined if the file has gone.
   */
  noticeVersion(readEtag: () => Promise<string | undefined>): Promise<void>
  /**
   * Loads the version on the server after this page has changed the file, unless there are unsaved changes. Undo restores
   * the old text.
   */
  refresh(): Promise<void>
  /** Replaces the first `length` characters, as one change that can be undone. */
  replaceStart(length: number, text: string): void
  /** Hides the first `length` characters, if they are whole lines. Returns whether it did so. */
  hideStart(length: number): boolean
  /** Counts the changes of a form as unsaved; undefined: the text contains them. */
  setPending(form: PendingForm | undefined): void
}

/** The state of the open text, for the page and the status line. The editor itself is loaded later. */
export const editor = proxy({
  /** Undefined while no text is open. */
  open: undefined as EditorCommands | undefined,
  isDirty: false,
  isSaving: false,
  /** The editor shows a draft that was not saved when the session ended. */
  isRestored: false,
  /**
   * What somebody else has done to the file: its new version is shown; it has another version than the unsaved text; it
   * has gone. Undefined: nothing, or the user has seen it.
   */
  outside: undefined as 'shown' | 'changed' | 'gone' | undefined,
  /** The cursor position, counted from 1. */
  line: 1,
  column: 1,
})
