import type { ReactNode } from 'react'
import { proxy, ref } from 'valtio'
import type { Item, Listing } from '#contract/resources.ts'
import type { Column } from '#web/features/files/views/columns.ts'
import type { Order, OrderedListing } from './order.ts'

/** What the list gets with the code of the actions. */
interface ActionParts {
  /** Shows a picture in place of a row's icon. */
  Picture(props: { item: Item }): ReactNode
  /** The text field for the name of an item. */
  RenameField(props: { item: Item }): ReactNode
  /** Shows a preview of the item at the cursor. */
  preview(): void
  /** Opens the menu of the selection at a point of the window. */
  openMenu(x: number, y: number): Promise<void>
  /** Sorts the list, and shows why if that fails. */
  sortBy(by: Order['by']): Promise<void>
}

/** What the list gets with the code for metadata. */
interface MetadataParts {
  /** The cells between the size and the last change. */
  Cells(props: { item: Item; columns: string }): ReactNode
  /** The headers of these cells. */
  Heads(props: { columns: readonly Column[]; isMosaic: boolean }): ReactNode
  /** The menu at the end of the headers, which shows and hides columns. */
  Menu(props: { isMosaic: boolean }): ReactNode
  /** Sorts a listing of the server as the user wants it. */
  arrange(listing: Listing): OrderedListing
}

/** The parts of the list that arrive after the first list (`app/later.ts`). Each is set once, and as a whole. */
export const listParts = proxy<{ actions?: ActionParts; metadata?: MetadataParts }>({})

let onArrival: (parts: ActionParts) => void
const arrival = new Promise<ActionParts>((resolve) => {
  onArrival = resolve
})

/** Sets the parts that come with the code of the actions. Called once. */
export function setActionParts(parts: ActionParts): void {
  listParts.actions = ref(parts)
  onArrival(parts)
}

/** Uses these parts, as soon as they are there: a click soon after the start waits for them. */
export function withActionParts(use: (parts: ActionParts) => Promise<void>): void {
  void arrival.then(use)
}

/** A listing in the order in which it is shown. */
export function arranged(listing: Listing): OrderedListing {
  return listParts.metadata?.arrange(listing) ?? listing
}
