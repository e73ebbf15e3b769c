import type { Order } from '#web/features/files/state/order.ts'

/** Whether the order is ascending: small to large, A to Z, old to new. */
export function isAscending({ by, asc }: Order): boolean {
  return by === 'name' ? !asc : asc
}
