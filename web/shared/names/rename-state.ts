import type { ComponentType } from 'react'
import { proxy } from 'valtio'
import type { Item } from '#contract/resources.ts'

/** The item whose name is edited in the list, and what was typed. The row can be drawn anew without losing it. */
export const renaming = proxy({
  /** Undefined: no name is edited. */
  path: undefined as string | undefined,
  text: '',
  /** Why the server has refused the text: a sentence. */
  refusal: undefined as string | undefined,
  isSaving: false,
})

/** The text field for the name of an item. Set when the code of the actions is loaded. */
export const renameSlot = { Field: undefined as ComponentType<{ item: Item }> | undefined }
