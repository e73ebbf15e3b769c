import { basename } from 'node:path'
import type { Clock } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import { oneLine } from '#src/core/text/one-line.ts'
import type { Store } from '#src/state/store.ts'
import { channelsOf, type NewNotice, noticeOf } from './notice.ts'
import type { Notifier } from './notifier.ts'

/** A file in which the virus scanner has found something. */
interface Finding {
  /** Where the file was to go. */
  path: string
  size: number
  /** The user who has sent it, or the owner of the share. */
  userId: number
  /** The id of the share through which it came. Undefined: none. */
  share: string | undefined
}

/** Further findings of the same share or user within this time are only on the page of held files. */
const quietMs = 10 * 60_000
const mostKnown = 1000

interface FindingsOptions {
  store: Store
  clock: Clock
  log: Logger
  notifier: Pick<Notifier, 'tell'>
}

/** Returns a function that tells the owner and the administrators about a finding. It never throws. */
export function createFindings({ store, clock, log, notifier }: FindingsOptions) {
  const last = new Map<string, number>()

  async function tell(finding: Finding): Promise<void> {
    const share = finding.share === undefined ? undefined : await store.links.byHash(finding.share)
    const name = oneLine(basename(finding.path))
    const what = { kind: 'scan' as const, time: clock(), count: 1, bytes: finding.size, names: [name] }
    const plain = { link: '', title: name, path: '', sender: '', detail: '' }
    const noticeFor = (user: number): NewNotice =>
      share ? { ...noticeOf(share, what), user } : { ...plain, ...what, user }
    await notifier.tell(noticeFor(finding.userId), share ? channelsOf(share) : ['page'])
    for (const { id, perm } of await store.users.list())
      if (perm.admin && id !== finding.userId) await notifier.tell(noticeFor(id), ['page'])
  }

  return (finding: Finding): void => {
    const key = finding.share ?? `user ${finding.userId}`
    const before = last.get(key)
    if (before !== undefined && Math.abs(clock() - before) < quietMs) return
    setBounded(last, key, clock(), mostKnown)
    tell(finding).catch((err: unknown) => log.error({ err }, 'a notice could not be stored'))
  }
}
