import { proxy } from 'valtio'

/** The item whose name is edited in the list, and what was typed. The row can be drawn anew without losing it. */
export const renaming = proxy({
  /** Undefined: no name is edited. */
  path: undefined as string | undefined,
  text: '',
  /** Why the server has refused the text: a sentence. */
  refusal: undefined as string | undefined,
  isSaving: false,
})
