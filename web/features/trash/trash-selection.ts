import type { TrashItem } from '#contract/history/kept.ts'
import { createRowSelection } from '#web/shared/rows/row-selection.ts'

/** The selection in the trash. */
export const trashRows = createRowSelection<TrashItem>(({ id }) => id)

export const {
  state: trashSelection,
  selectedIn,
  clear: clearTrashSelection,
  keep: keepSelection,
} = trashRows
