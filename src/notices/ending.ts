import type { Clock } from '#src/core/clock.ts'
import type { ShareRecord } from '#src/state/state.ts'

const dayMs = 86_400_000
/** Maximum number of notices of one scan. The others follow with the next one. */
const mostAtOnce = 500
const scanEveryMs = 5 * 60_000

/**
 * The time of the notice that a share ends, in milliseconds since 1970: a day before the end, or when a tenth of its life is
 * left, if that is later.
 */
export function warningTime({ created, expire }: Pick<ShareRecord, 'created' | 'expire'>): number {
  const end = expire * 1000
  return Math.max(end - dayMs, end - ((expire - created) * 1000) / 10)
}

interface EndingOptions {
  /** All shares. */
  list(): Promise<readonly ShareRecord[]>
  clock: Clock
  /** Notifies the owner of a share, unless that was done for this end. */
  tell(share: ShareRecord): Promise<void>
}

/** Looks for shares that end soon. One scan of all shares every few minutes, instead of a timer for each. */
export function createEndingScan({ list, clock, tell }: EndingOptions) {
  let scannedAt = Number.NEGATIVE_INFINITY
  // The ends for which there was a notice, by the id of the share. Each scan keeps only those of its shares.
  let notified = new Map<string, number>()
  return {
    /** Scans the shares if the last scan is some minutes ago. */
    async run(): Promise<void> {
      const now = clock()
      if (Math.abs(now - scannedAt) < scanEveryMs) return
      scannedAt = now
      const ending = (await list()).filter(
        (share) =>
          share.expire > 0 && !share.trashed && share.expire * 1000 > now && warningTime(share) <= now,
      )
      notified = new Map(
        ending.filter((one) => notified.get(one.hash) === one.expire).map((one) => [one.hash, one.expire]),
      )
      for (const share of ending.filter((one) => !notified.has(one.hash)).slice(0, mostAtOnce)) {
        await tell(share)
        notified.set(share.hash, share.expire)
      }
    },
  }
}
