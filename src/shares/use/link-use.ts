import type { DownloadEnd } from '#src/access/principal.ts'
import { meaningOf } from '#src/access/share-rights.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import { hmac } from '#src/core/secret.ts'
import type { ShareRecord } from '#src/state/state.ts'
import {
  isNewVisit,
  type Left,
  type Link,
  leftOf,
  newLink,
  refuseUsedUp,
  reserveDownload,
  reserveFile,
} from './admission.ts'
import {
  type FileRow,
  fileStatement,
  goneStatements,
  readFiles,
  readUses,
  readVisitors,
  type Used,
  type UseRow,
  usedStatements,
  visitorStatement,
} from './link-rows.ts'

/** A file of a visitor that is being received. */
export interface Receiving {
  /** Maximum number of bytes that it may have. Undefined: no limit of the share. */
  limit: number | undefined
  /**
   * Called at the end. Undefined: it was not received. Further calls do nothing.
   *
   * @param file.row undefined: it is a folder, which is not in the list of the visit
   */
  end(file?: { visit: string; row?: FileRow }): void
}

interface UseOptions {
  database: Pick<Database, 'read' | 'write' | 'writeLater'>
  clock: Clock
  log: Logger
  /** The key for hashes of addresses. */
  key: () => Buffer
  /** Whether there is a share with this id. */
  isKnown(hash: string): boolean
}

/**
 * Counts how shares are used, and enforces their limits. What is admitted is reserved at once, so that a limit of one
 * gives one download to a hundred clients that ask at the same moment; what is broken off is given back.
 */
export function createLinkUse({ database, clock, log, key, isKnown }: UseOptions) {
  const links = createLinks(database, isKnown)
  const { loaded, linkOf } = links
  const count = createCounter({ database, clock, linkOf })

  /** Counts in memory at once. The request does not wait for the disk. */
  function countLater(hash: string, change: Partial<Used>, more: readonly Statement[] = []): void {
    const message = 'the use of a share could not be recorded'
    count(hash, change, more).catch((error: unknown) => log.error({ err: error }, message))
  }

  /** Admits a network. @throws Problem `share.limit` for one too many. */
  async function admit(hash: string, network: string, most: number): Promise<void> {
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
    countLater(hash, { visitors: 1 })
  }

  return {
    loaded,

    /** How the share was used. `loaded` has resolved before. */
    of: (hash: string): UseRow => ({ ...linkOf(hash).row }),

    /** The files that were received in a visit. */
    files: (hash: string, visit: string) => readFiles(database, { link: hash, visit }),

    /**
     * Admits a visitor. Requests of one network within an hour are one visit.
     *
     * @throws Problem `share.limit` for a network too many, and when the downloads are used up.
     */
    async visit(share: ShareRecord, network: string): Promise<void> {
      const { hash, conditions = {} } = share
      await loaded()
      const link = linkOf(hash)
      // A share that receives files is of use without downloads.
      if (!meaningOf(share).receives) refuseUsedUp(link, conditions, { network, now: clock() })
      if (conditions.maxVisitors) await admit(hash, network, conditions.maxVisitors)
      if (isNewVisit(link, network, clock())) countLater(hash, { visits: 1 })
    },

    /**
     * Admits a download. Its ranges, and its repetition from the same network within an hour, count once.
     *
     * @returns a function that is called at the end
     * @throws Problem `share.limit`, `server.busy`
     */
    download(
      { hash, conditions = {} }: ShareRecord,
      request: { network: string; what: string; size?: number | undefined },
    ): (end: DownloadEnd) => void {
      const end = reserveDownload(linkOf(hash), conditions, { ...request, now: clock() })
      return (how) => {
        if (end(how)) countLater(hash, { downloads: 1 })
      }
    },

    /**
     * Admits a file that a visitor sends.
     *
     * @param size its bytes. Undefined: not known
     * @throws Problem `share.limit`; `request.large` for a size above that of one file.
     */
    receive({ hash, conditions = {} }: ShareRecord, size: number | undefined): Receiving {
      const { limit, release } = reserveFile(linkOf(hash), conditions, size)
      let hasEnded = false
      return {
        limit,
        end(file) {
          if (hasEnded) return
          hasEnded = true
          release()
          if (!file) return
          const { visit, row } = file
          const noted = row ? [fileStatement(hash, visit, row)] : []
          countLater(hash, { files: 1, bytes: row?.size ?? 0 }, noted)
        },
      }
    },

    /** How many files may still be sent, the largest size of one, and the downloads that are left. Undefined: unlimited. */
    left: ({ hash, conditions = {} }: ShareRecord): Left => leftOf(linkOf(hash), conditions),

    /** Forgets shares that are gone. */
    async forget(hashes: readonly string[]): Promise<void> {
      for (const hash of hashes) links.drop(hash)
      if (hashes.length > 0) await database.writeLater(goneStatements(hashes))
    },
  }
}

export type LinkUse = ReturnType<typeof createLinkUse>

/** The use of all shares, in memory. */
function createLinks(database: Pick<Database, 'read' | 'writeLater'>, isKnown: UseOptions['isKnown']) {
  const links = new Map<string, Link>()
  let reading: Promise<void> | undefined

  return {
    /** Reads the counts once. After a failure, the next call tries again. */
    loaded(): Promise<void> {
      reading ??= readUses(database).then((uses) => {
        const gone = [...uses.keys()].filter((hash) => !isKnown(hash))
        for (const [hash, row] of uses) if (isKnown(hash)) links.set(hash, newLink(row))
        // Of shares that ended with their file or their owner.
        if (gone.length > 0) void database.writeLater(goneStatements(gone)).catch(() => {})
      })
      reading.catch(() => {
        reading = undefined
      })
      return reading
    },
    linkOf(hash: string): Link {
      const link = links.get(hash) ?? newLink()
      links.set(hash, link)
      return link
    },
    drop: (hash: string) => void links.delete(hash),
  }
}

const nothing: Used = { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0 }

/** Returns a function that counts what has happened to a share: at once in memory, then in the database. */
function createCounter({
  database,
  clock,
  linkOf,
}: Pick<UseOptions, 'clock'> & { database: Pick<Database, 'writeLater'>; linkOf(hash: string): Link }) {
  return (hash: string, change: Partial<Used>, more: readonly Statement[]): Promise<unknown> => {
    const { row } = linkOf(hash)
    const used = { ...nothing, ...change }
    for (const name of Object.keys(nothing) as (keyof Used)[]) row[name] += used[name]
    row.last = Math.max(row.last, clock())
    return database.writeLater([...usedStatements(hash, used, clock()), ...more])
  }
}
