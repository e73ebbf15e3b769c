import type { Item } from '#contract/resources.ts'
import type { Order } from '#web/features/files/state/order.ts'
import { takenMs } from '#web/shared/metadata/taken.ts'
import type { ByName } from './metadata-state.ts'

interface Arranging {
  order: Order
  byName: ByName
  /** Files without a date taken are sorted by the time of their last change instead of coming last. */
  usesModified: boolean
}

type Value = string | number | undefined

/** Sorts items by metadata, folders first. Items with equal values keep their order; unknown values come last. */
export function arrange(items: readonly Item[], arranging: Arranging): readonly Item[] {
  const { order } = arranging
  const compare = comparer(order.asc ? 1 : -1)
  return items
    .map((item) => ({ item, value: valueIn(item, arranging) }))
    .sort((a, b) => Number(b.item.isDir) - Number(a.item.isDir) || compare(a.value, b.value))
    .map(({ item }) => item)
}

function valueIn({ name, modified, type }: Item, { order, byName, usesModified }: Arranging): Value {
  const known = byName.get(name)
  if (order.by === 'owner') return known?.owner
  if (order.by === 'dimensions') return known?.width && known.height && known.width * known.height
  return takenMs(known, type === 'video') ?? (usesModified ? Date.parse(modified) : undefined)
}

function comparer(direction: 1 | -1): (a: Value, b: Value) => number {
  const names = new Intl.Collator(undefined, { numeric: true })
  return (a, b) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    const isText = typeof a === 'string' && typeof b === 'string'
    return direction * (isText ? names.compare(a, b) : Number(a) - Number(b))
  }
}
