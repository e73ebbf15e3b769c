import type { PlaceItem } from '#contract/history/places.ts'
import { createRowSelection } from '#web/shared/rows/row-selection.ts'

/** The selection in the list of starred or recent files. */
export const bookmarkRows = createRowSelection<PlaceItem>(({ path }) => path)
