import type { DownloadEnd } from '#src/access/principal.ts'
import { meaningOf } from '#src/access/share-rights.ts'
import type { Downloads } from '#src/audit/links/downloads.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import { hmac } from '#src/core/secret.ts'
import type { ShareRecord } from '#src/state/state.ts'
import { isNewVisit, type Left, leftOf, refuseUsedUp, reserveDownload, unused } from './admission.ts'
import type { LinkEvents } from './link-events.ts'
import {
  goneStatements,
  readDays,
  readFiles,
  readVisitors,
  type Used,
  type UseRow,
  visitorStatement,
} from './link-rows.ts'
import { createCounter, createLinks } from './links.ts'
import { createLimitWatch } from './reached-limits.ts'
import { createReception, type From } from './reception.ts'

/** A visitor of a share. */
export interface Client {
  /** The IP address. */
  address: string
  /** The network of the address, by which limits are counted. */
  network: string
}

/** A download through a share. */
export interface LinkDownload {
  share: ShareRecord
  address: string
  /** Path in the scope of the owner. */
  path: string
}

interface UseOptions {
  database: Pick<Database, 'read' | 'write' | 'writeLater'>
  clock: Clock
  log: Logger
  /** The key for hashes of addresses. */
  key: () => Buffer
  /** Whether there is a share with this id. */
  isKnown(hash: string): boolean
  events: LinkEvents
  downloads: Downloads<LinkDownload>
}

/**
 * Counts how shares are used, and enforces their limits. What is admitted is reserved at once, so that a limit of one
 * gives one download to a hundred clients that ask at the same moment; what is broken off is given back.
 */
export function createLinkUse(options: UseOptions) {
  const { database, clock, log, isKnown, events, downloads } = options
  const links = createLinks(database, isKnown)
  const { loaded, linkOf } = links
  const count = createCounter({ database, clock, linkOf })
  const limits = createLimitWatch(events, clock)

  /** Counts in memory at once. The request does not wait for the disk. */
  function countLater(from: From, change: Partial<Used>, more: readonly Statement[] = []): void {
    const { hash } = from.share
    // It may have ended while the request was running.
    if (!isKnown(hash)) return
    const message = 'the use of a share could not be recorded'
    count(hash, change, more).catch((error: unknown) => log.error({ err: error }, message))
    limits.counted(from, linkOf(hash).row, change)
  }

  const admit = createAdmission(options, { linkOf, countLater })

  return {
    loaded,

    /** How the share was used. `loaded` has resolved before. */
    of: (hash: string): Readonly<UseRow> => links.find(hash)?.row ?? unused,

    /** The files that were received in a visit. */
    files: (hash: string, visit: string) => readFiles(database, { link: hash, visit }),

    /** How the share was used on each of the last 90 days, the oldest first. */
    days: (hash: string) => readDays(database, hash, clock()),

    /**
     * Admits a visitor. Requests of one network within an hour are one visit.
     *
     * @throws Problem `share.limit` for a network too many, and when the downloads are used up.
     */
    async visit(share: ShareRecord, { address, network }: Client): Promise<void> {
      const { hash, conditions = {} } = share
      await loaded()
      const link = linkOf(hash)
      // A share that receives files is of use without downloads.
      if (!meaningOf(share).receives) refuseUsedUp(link, conditions, { network, now: clock() })
      if (conditions.maxVisitors) await admit(share, { address, network }, conditions.maxVisitors)
      if (!isNewVisit(link, network, clock())) return
      // Read and counted without waiting, so that exactly one of many visitors is the first.
      const isFirst = link.row.visits === 0
      countLater({ share, address }, { visits: 1 })
      events.tell({ kind: 'visit', share, time: clock(), address, isFirst })
    },

    /**
     * Admits a download. Its ranges, and its repetition from the same network within an hour, count once.
     *
     * @param request.path path in the scope of the owner
     * @returns a function that is called at the end
     * @throws Problem `share.limit`, `server.busy`
     */
    download(
      share: ShareRecord,
      { path, address, ...request }: Client & { what: string; size?: number | undefined; path: string },
    ): (end: DownloadEnd) => void {
      const { hash, conditions = {} } = share
      const { network, what, size } = request
      const end = reserveDownload(linkOf(hash), conditions, { ...request, now: clock() })
      const about = { share, address, path }
      const noteEnd = downloads.begin({ client: `${hash} ${network}`, what, size, about })
      return (how) => {
        if (end(how)) countLater(about, { downloads: 1 })
        noteEnd(how)
      }
    },

    receive: createReception(events, clock, { limits, linkOf, countLater }),

    /** How many files may still be sent, the largest size of one, and the downloads that are left. Undefined: unlimited. */
    left: ({ hash, conditions = {} }: ShareRecord): Left => leftOf(linkOf(hash), conditions),

    /** Forgets shares that are gone, in the background. After a failure, the next start does it. */
    forget(hashes: readonly string[]): void {
      for (const hash of hashes) links.drop(hash)
      const message = 'the use of shares that have ended could not be removed'
      database
        .writeLater(goneStatements(hashes))
        .catch((error: unknown) => log.error({ err: error }, message))
    },
  }
}

export type LinkUse = ReturnType<typeof createLinkUse>

interface AdmissionTools extends Pick<ReturnType<typeof createLinks>, 'linkOf'> {
  countLater(from: From, change: Partial<Used>): void
}

/** Returns a function that admits a network. @throws Problem `share.limit` for one too many. */
function createAdmission({ database, key }: UseOptions, { linkOf, countLater }: AdmissionTools) {
  return async (share: ShareRecord, { address, network }: Client, most: number): Promise<void> => {
    const { hash } = share
    const link = linkOf(hash)
    link.visitors ??= readVisitors(database, hash).then((all) => new Set(all))
    const visitors = await link.visitors.catch((error: unknown) => {
      link.visitors = undefined
      throw error
    })
    // The address itself is not kept.
    const masked = hmac(`visitor.${hash}.${network}`, key()).slice(0, 22)
    if (visitors.has(masked)) return
    if (visitors.size >= most) throw new Problem('share.limit')
    visitors.add(masked)
    await database.write([visitorStatement(hash, masked)]).catch((error: unknown) => {
      visitors.delete(masked)
      throw error
    })
    countLater({ share, address }, { visitors: 1 })
  }
}
