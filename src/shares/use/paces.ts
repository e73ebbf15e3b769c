import { createPace, type Pace } from '#src/core/concurrency/pace.ts'
import type { ShareRecord } from '#src/state/state.ts'

// A forgotten limit begins anew, which lets one part through.
const mostPaces = 10_000

/** Returns a function that finds the rate limit of a share. All its visitors have the same one. Undefined: unlimited. */
export function createPaces(): (share: ShareRecord) => Pace | undefined {
  const paces = new Map<string, { rate: number; pace: Pace }>()
  return ({ hash, conditions }) => {
    const rate = conditions?.rate
    if (rate === undefined) return undefined
    const known = paces.get(hash)
    if (known?.rate === rate) return known.pace
    const [oldest] = paces.keys()
    if (paces.size >= mostPaces && oldest !== undefined) paces.delete(oldest)
    const pace = createPace(rate)
    paces.set(hash, { rate, pace })
    return pace
  }
}
