import { proxy } from 'valtio'

/** What the frame around an open text may ask of it. */
export interface TextHandle {
  /** Saves what has changed; false when it could not be saved, of which the person has been told. */
  save(): Promise<boolean>
  /** Asks what to do with unsaved changes, and does it; false: the person wants to stay. */
  settle(): Promise<boolean>
  /** Shows the line in which one writes what to look for; false: the text itself is not in sight. */
  find(): boolean
  setWrap(isOn: boolean): void
  /** Takes back what was not saved. Undo brings it back once more. */
  discard(): void
}

/** The open text, as its frame and its own foot line tell of it. Its code comes later; this is what others know of it. */
export const editor = proxy({
  /** Undefined while no text is open. */
  open: undefined as TextHandle | undefined,
  isDirty: false,
  isSaving: false,
  /** What was not saved when the session ended is here again. */
  isRestored: false,
  /** Where the cursor is, counted from 1. */
  line: 1,
  column: 1,
})
