import type { Clock } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Link } from './admission.ts'
import type { LinkEvent, LinkEvents } from './link-events.ts'
import type { Used } from './link-rows.ts'

type Limit = Extract<LinkEvent, { kind: 'limit' }>['limit']

interface Reached {
  share: ShareRecord
  /** The address of the visitor who has reached it. */
  address: string
}

const limitNames = {
  downloads: 'maxDownloads',
  visitors: 'maxVisitors',
  files: 'maxFiles',
  bytes: 'maxBytes',
} as const

/** Tells when a limit of a share is reached: once, until its owner raises it. */
export function createLimitWatch(events: Pick<LinkEvents, 'tell'>, clock: Clock) {
  const tell = ({ share, address }: Reached, limit: Limit) =>
    events.tell({ kind: 'limit', share, time: clock(), address, limit })

  return {
    /** Tells the limits that are reached by what was counted. `row`: how the share was used with it. */
    counted(reached: Reached, row: Readonly<Used>, change: Partial<Used>): void {
      const { conditions = {} } = reached.share
      for (const [name, condition] of Object.entries(limitNames) as [Limit, keyof typeof conditions][]) {
        const most = Number(conditions[condition] ?? Number.POSITIVE_INFINITY)
        if (row[name] >= most && row[name] - (change[name] ?? 0) < most) tell(reached, name)
      }
    },

    /**
     * Runs a reservation for a file. The first one that is refused because too few bytes are left reaches the limit, too.
     *
     * @throws what `reserve` throws
     */
    watch<T>(reached: Reached, link: Link, reserve: () => T): T {
      try {
        return reserve()
      } catch (error) {
        const { maxBytes, maxFiles = Number.POSITIVE_INFINITY } = reached.share.conditions ?? {}
        const isBytes = maxBytes !== undefined && link.row.files < maxFiles && link.row.bytes < maxBytes
        const isRefused = error instanceof Problem && error.code === 'share.limit' && isBytes
        if (isRefused && link.toldBytes !== maxBytes) {
          link.toldBytes = maxBytes
          tell(reached, 'bytes')
        }
        throw error
      }
    },
  }
}
