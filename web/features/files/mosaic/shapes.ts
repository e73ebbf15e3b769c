import type { Item } from '#contract/resources.ts'
import type { ByName } from '#web/features/files/metadata/metadata-state.ts'
import type { Order } from '#web/features/files/state/order.ts'
import { shapeOf, takenMs } from '#web/shared/metadata/taken.ts'
import { tileRatio } from './mosaic-lines.ts'
import { hasThumbnail, ratioOf } from './thumbnails.ts'

/**
 * The shape of the tile of an item: that of its picture if the metadata tells it, else the standard shape, which stays
 * when the picture arrives. Visitors of a share get no metadata.
 */
export function tileShape(item: Item, about: ByName | undefined): number {
  return (hasThumbnail(item) ? shapeOf(about?.get(item.name)) : undefined) ?? tileRatio
}

/** The shape of an item's picture; the standard shape without a picture; undefined until it is known. */
export function pictureShape(item: Item, about: ByName | undefined): number | undefined {
  if (!hasThumbnail(item)) return tileRatio
  return shapeOf(about?.get(item.name)) ?? ratioOf(item, tileRatio)
}

/** The time by which an order sorts files, in milliseconds: when they were taken, else when they were changed. */
export function timeIn(
  by: Order['by'] | undefined,
  about: ByName | undefined,
): ((item: Item) => number) | undefined {
  const modified = (item: Item) => Date.parse(item.modified)
  if (by === 'modified') return modified
  if (by !== 'taken') return undefined
  return (item) => takenMs(about?.get(item.name), item.type === 'video') ?? modified(item)
}
