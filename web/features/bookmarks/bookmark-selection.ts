import type { Bookmark } from '#contract/history/bookmarks.ts'
import { createRowSelection } from '#web/shared/rows/row-selection.ts'

/** The selection in the list of starred or recent files. */
export const bookmarkRows = createRowSelection<Bookmark>(({ path }) => path)
