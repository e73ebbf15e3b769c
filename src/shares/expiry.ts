import type { ExpiryUnit } from '#contract/shares.ts'
import { Problem } from '#src/core/problem.ts'

const unitSeconds: Record<ExpiryUnit, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 }

const longest = 2_147_483_647

/**
 * The expiry time of a share in seconds since 1970; 0: never, when `expires` is empty. Without a unit, `expires` counts
 * hours (contract/compatibility.md#share-links).
 *
 * @throws Problem `request.invalid` for a value that is not a whole number, `request.value` for a number out of range.
 */
export function expiryOf(
  expires: string | number | undefined,
  unit: ExpiryUnit | '' | undefined,
  nowMs: number,
): number {
  const written = String(expires ?? '').trim()
  if (written === '') return 0
  if (!/^[+-]?\d+$/.test(written)) {
    throw new Problem('request.invalid', { field: 'expires', reason: 'must be a whole number' })
  }
  const count = Number(written)
  if (count <= 0 || count > longest) throw new Problem('request.value', { field: 'expires', value: written })
  return Math.floor(nowMs / 1000) + count * unitSeconds[unit || 'hours']
}
