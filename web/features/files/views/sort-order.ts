import type { Sorting } from '#contract/users.ts'

/** Whether the order is ascending: small to large, A to Z, old to new. */
export function isAscending({ by, asc }: Sorting): boolean {
  return by === 'name' ? !asc : asc
}
