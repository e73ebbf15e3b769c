import type { ShareConditions } from '#contract/shares.ts'
import type { LinkEvent } from '#src/shares/use/link-events.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { start } from './start.ts'

type NoticeChannel = NonNullable<ShareConditions['notify']>[number]
type Running = Awaited<ReturnType<typeof start>>

/** Emits events of shares, as visits do, and waits until the owners have their notices. */
export function happenings({ services, clock, document }: Running) {
  const { notices, linkEvents } = services
  const known = new Map<string, ShareRecord>()
  const chosen = new Map<string, NoticeChannel[]>()
  /** The share; after its end, as it was. */
  function shareOf(hash: string): ShareRecord {
    const share = structuredClone(document.data.shares[hash] ?? known.get(hash))
    if (!share) throw new Error(`no share ${hash}`)
    known.set(hash, share)
    const notify = chosen.get(hash)
    return notify ? { ...share, conditions: { ...share.conditions, ...{ notify } } } : share
  }
  const common = (hash: string) => ({ share: shareOf(hash), time: clock.now(), address: '203.0.113.7' })
  const tell = (event: LinkEvent) => linkEvents.tell(event)
  return {
    visit: (hash: string, isFirst = true) => tell({ ...common(hash), kind: 'visit', isFirst }),
    receive: (hash: string, path: string, more: { size?: number; visit?: string; sender?: string } = {}) =>
      tell({ ...common(hash), kind: 'received', path, size: 10, visit: 'one', ...more }),
    reachLimit: (hash: string, limit: 'downloads' | 'visitors' | 'files' | 'bytes' = 'downloads') =>
      tell({ ...common(hash), kind: 'limit', limit }),

    /** Sets the channels of notices about a share. */
    notify: (hash: string, channels: NoticeChannel[]) => void chosen.set(hash, channels),

    /** Does what is due at this moment, and waits for it. */
    async due(): Promise<void> {
      await notices.settled()
      await notices.run()
      await notices.settled()
    },
  }
}
