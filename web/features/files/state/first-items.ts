import type { Item, Listing } from '#contract/resources.ts'
import type { FolderView } from '#contract/users.ts'
import type { Order } from '#web/features/files/state/order.ts'
import { isMosaic } from '#web/features/files/state/view-mode.ts'
import type { Expected } from '#web/features/files/views/sections.ts'
import { lastCursor, scrollOffsets } from '#web/shared/lists/last-positions.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { wantsNames } from '#web/shared/undo/show-items.ts'

/** The folder that the page shows. */
export interface Folder {
  path: string
  /** Empty for the user's own top folder. */
  name: string
  items: readonly Item[]
  sorting: Order
  /** When the folder was changed last, in RFC 3339. */
  modified: string
  /** How the user wants to see this folder; undefined: as all folders. */
  view: FolderView | undefined
  /** Only the first items are there: how many there will be. Undefined: all are there. */
  expected?: Expected | undefined
}

/**
 * Whether to show the first items of `folder` before the others: not if the list must open at another place, if it is
 * shown already, or if the page sorts it.
 */
export function showsFirstItems(
  folder: string,
  { items, view }: Listing,
  shown: Folder | undefined,
): boolean {
  if (shown?.path === folder) return shown.expected !== undefined
  // The page sorts by metadata itself, and needs all items for it.
  if ((view?.metadataOrder ?? session.user?.metadataOrder)?.by) return false
  if (isMosaic(session.user, view) || wantsNames(folder) || (scrollOffsets.get(folder) ?? 0) > 0) return false
  const left = shown && shown.path !== '/' && parentOf(shown.path) === folder ? nameOf(shown.path) : undefined
  const cursor = left ?? lastCursor(folder)
  return cursor === undefined || items.some(({ name }) => name === cursor)
}
