import type { Listing } from '#contract/resources.ts'
import type { FolderView, Sorting } from '#contract/users.ts'

type Metadata = Exclude<NonNullable<FolderView['metadataOrder']>['by'], ''>

/** What the items of a list can be sorted by: by the server, or by this page. */
export interface Order {
  by: Sorting['by'] | Metadata
  asc: boolean
}

/** A listing in the order in which it is shown. */
export interface OrderedListing extends Omit<Listing, 'sorting'> {
  sorting: Order
}
