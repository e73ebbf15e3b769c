import type { Order } from '#web/features/files/state/order.ts'

/** Opens the menu of the selection at a point of the window. Set by the page of the list. */
export const itemMenuSlot = { show: (_x: number, _y: number): void => {} }

/** Sorts the list, as `sortByHead` does, whose code is loaded later. Set by the page of the list. */
export const sortSlot = { sort: (_by: Order['by']): void => {} }

/** Shows a preview of the item at the cursor. Set when the code of the actions is loaded. */
export const quickLookSlot = { show: (): void => {} }
