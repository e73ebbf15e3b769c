import type { ComponentType } from 'react'
import type { Sorting } from '#contract/users.ts'

/** Opens the menu of the selection at a point of the window. Set by the page of the list. */
export const itemMenuSlot = { show: (_x: number, _y: number): void => {} }

/** Sorts the list, as `sortBy` does, whose code is loaded later. Set by the page of the list. */
export const sortSlot = { sort: (_by: Sorting['by']): Promise<void> => Promise.resolve() }

/** The menu of the columns at the end of their headers, whose code is loaded later. Set by the page of the list. */
export const columnsSlot: {
  Menu: ComponentType<{ className: string | undefined }> | undefined
} = { Menu: undefined }
/** Shows a preview of the item at the cursor. Set when the code of the actions is loaded. */
export const quickLookSlot = { show: (): void => {} }
