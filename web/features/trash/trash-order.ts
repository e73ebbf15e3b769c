import type { TrashItem } from '#contract/history/kept.ts'
import { parentOf } from '#web/shared/paths.ts'

/** The columns of the trash. */
export type TrashColumn = 'name' | 'place' | 'deleted' | 'by' | 'size'

/** The order of the trash. Ascending: A to Z, small to large, old to new. */
export interface TrashOrder {
  readonly by: TrashColumn
  readonly isAscending: boolean
}

type Items = readonly TrashItem[]

/** The order in which the server sends the entries. */
export const newestFirst: TrashOrder = { by: 'deleted', isAscending: false }

/** Whether the server sends the entries in this order. */
export function isServerOrder({ by, isAscending }: TrashOrder): boolean {
  return by === newestFirst.by && isAscending === newestFirst.isAscending
}

/** The order after a click on a column: its first order, or the other one. Of times, the newest come first. */
export function nextOrder(now: TrashOrder, by: TrashColumn): TrashOrder {
  return { by, isAscending: now.by === by ? !now.isAscending : by !== 'deleted' }
}

/** The entries in an order. Equal ones stay in their order. What has no size or no user comes last. */
export function inOrder(items: Items, order: TrashOrder, locale: string): Items {
  if (isServerOrder(order)) return items
  const { compare } = new Intl.Collator(locale, { numeric: true })
  const sign = order.isAscending ? 1 : -1
  const keyOf = keys[order.by]
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compare(`${a}`, `${b}`))
  })
  return keyed.map(({ item }) => item)
}

const keys: Record<TrashColumn, (item: TrashItem) => string | number | undefined> = {
  name: ({ name }) => name,
  place: ({ path }) => parentOf(path),
  deleted: ({ deleted }) => Date.parse(deleted),
  by: ({ by }) => by || undefined,
  size: ({ size }) => size ?? undefined,
}
