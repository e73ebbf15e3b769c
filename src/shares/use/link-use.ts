import type { ShareConditions } from '#contract/shares.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import { hmac } from '#src/core/secret.ts'
import type { ShareRecord } from '#src/state/state.ts'
import {
  type FileRow,
  fileStatement,
  goneStatements,
  readDays,
  readFiles,
  readUses,
  readVisitors,
  type Used,
  type UseRow,
  usedStatements,
  visitorStatement,
} from './link-rows.ts'

/** Requests of one network for the same bytes within this time are one download, and its requests are one visit. */
const sameForMs = 60 * 60_000
/** Number of networks and downloads of a share that are remembered for `sameForMs`. */
const mostRecent = 10_000

/** A file of a visitor that is being received. */
export interface Receiving {
  /** Maximum number of bytes that it may have. Undefined: no limit of the share. */
  limit: number | undefined
  /** Called at the end. Undefined: it was not received. */
  end(file?: { visit: string; row: FileRow }): Promise<void>
}

/** A visit, or a download with all its ranges. */
interface Recent {
  since: number
  isCounted: boolean
  /** Number of requests that are running. */
  running: number
}

/** What is known about a share in this process. */
interface Link {
  row: UseRow
  /** Downloads that have begun and are not counted yet, and files and bytes that are being received. */
  pending: { downloads: number; files: number; bytes: number }
  /** When a network began what counts only once within an hour. Its key is the network, or the network and the bytes. */
  recent: Map<string, Recent>
  /** Networks that have visited. Undefined: not read yet. */
  visitors?: Set<string>
}

/**
 * Counts how shares are used, and enforces their limits. What is admitted is counted at once, so that a limit of one gives
 * one download to a hundred clients that ask at the same moment; what is broken off is given back.
 */
export function createLinkUse(options: {
  database: Pick<Database, 'read' | 'write' | 'writeLater'>
  clock: Clock
  log: Logger
  /** The key for hashes of addresses. */
  key: () => Buffer
}) {
  const { database, clock, log, key } = options
  const links = new Map<string, Link>()
  let reading: Promise<void> | undefined

  /** Reads the counts of all shares once. */
  function loaded(): Promise<void> {
    reading ??= readUses(database).then((uses) => {
      for (const [hash, row] of uses) links.set(hash, newLink(row))
    })
    reading.catch(() => {
      reading = undefined
    })
    return reading
  }

  function linkOf(hash: string): Link {
    const link =
      links.get(hash) ?? newLink({ downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0, last: 0 })
    links.set(hash, link)
    return link
  }

  function count(hash: string, change: Partial<Used>): Promise<unknown> {
    const { row } = linkOf(hash)
    const used = { ...nothing, ...change }
    for (const name of Object.keys(nothing) as (keyof Used)[]) row[name] += used[name]
    row.last = Math.max(row.last, clock())
    return database.writeLater(usedStatements(hash, used, clock()))
  }

  /** Counts what no request waits for. */
  function countLater(hash: string, change: Partial<Used>): void {
    count(hash, change).catch((error: unknown) =>
      log.error({ err: error }, 'the use of a share could not be recorded'),
    )
  }

  const maskOf = (hash: string, network: string) => hmac(`visitor.${hash}.${network}`, key()).slice(0, 22)

  return {
    loaded,

    /** How the share was used. `loaded` has resolved before. */
    of: (hash: string): UseRow => ({ ...linkOf(hash).row }),

    days: (hash: string) => readDays(database, hash),

    files: (hash: string, visit: string) => readFiles(database, { link: hash, visit }),

    /**
     * Admits a visitor. Requests of one network within an hour are one visit.
     *
     * @throws Problem `share.limit` for a network too many, and when nothing is left to download or to send.
     */
    async visit({ hash, conditions = {} }: ShareRecord, network: string): Promise<void> {
      await loaded()
      const link = linkOf(hash)
      if (conditions.maxVisitors) {
        link.visitors ??= new Set(await readVisitors(database, hash))
        const mask = maskOf(hash, network)
        if (!link.visitors.has(mask)) {
          if (link.visitors.size >= conditions.maxVisitors) throw new Problem('share.limit')
          link.visitors.add(mask)
          await database.write([visitorStatement(hash, mask)])
          countLater(hash, { visitors: 1 })
        }
      }
      refuseUsedUp(link, conditions, { network, now: clock() })
      if (isNew(link, network, clock())) countLater(hash, { visits: 1 })
    },

    /**
     * Admits a download. Its ranges, and its repetition from the same network within an hour, count once.
     *
     * @param what identifies the bytes in the share
     * @returns a function that is called at the end: with true when every byte of the answer was sent
     * @throws Problem `share.limit`
     */
    download(
      { hash, conditions = {} }: ShareRecord,
      { network, what }: { network: string; what: string },
    ): (isWhole: boolean) => void {
      const link = linkOf(hash)
      const name = `${network}\n${what}`
      const known = recentOf(link, name, clock())
      const { maxDownloads = Number.POSITIVE_INFINITY } = conditions
      if (!known && link.row.downloads + link.pending.downloads >= maxDownloads)
        throw new Problem('share.limit')
      const download = known ?? { since: clock(), isCounted: false, running: 0 }
      if (!known) {
        remember(link, name, download)
        link.pending.downloads++
      }
      download.running++
      return (isWhole) => {
        download.running--
        if (download.isCounted || (!isWhole && download.running > 0)) return
        link.pending.downloads--
        if (isWhole) {
          download.isCounted = true
          countLater(hash, { downloads: 1 })
        } else if (link.recent.get(name) === download) link.recent.delete(name)
      }
    },

    /**
     * Admits a file that a visitor sends.
     *
     * @param size its bytes. Undefined: not known; everything that is left is reserved until it has arrived
     * @throws Problem `share.limit`; `request.large` for a size above that of one file.
     */
    receive({ hash, conditions = {} }: ShareRecord, size: number | undefined): Receiving {
      const link = linkOf(hash)
      const { maxFiles = Number.POSITIVE_INFINITY, maxBytes, maxFileSize } = conditions
      if (link.row.files + link.pending.files >= maxFiles) throw new Problem('share.limit')
      if (maxFileSize !== undefined && (size ?? 0) > maxFileSize)
        throw new Problem('request.large', { limit: maxFileSize })
      const left = maxBytes === undefined ? undefined : maxBytes - link.row.bytes - link.pending.bytes
      if (left !== undefined && (left <= 0 || (size ?? 0) > left)) throw new Problem('share.limit')
      const limit = smallest(left, maxFileSize)
      const reserved = left === undefined ? 0 : (size ?? limit ?? 0)
      link.pending.files++
      link.pending.bytes += reserved
      let hasEnded = false
      return {
        limit,
        async end(file) {
          if (hasEnded) return
          hasEnded = true
          link.pending.files--
          link.pending.bytes -= reserved
          if (!file) return
          const { visit, row } = file
          await Promise.all([
            count(hash, { files: 1, bytes: row.size }),
            database.writeLater([fileStatement(hash, visit, row)]),
          ])
        },
      }
    },

    /** How many files more may be sent, and the largest size of one. Undefined: unlimited. */
    left({ hash, conditions = {} }: ShareRecord): { files: number | undefined; size: number | undefined } {
      const { row, pending } = linkOf(hash)
      const { maxFiles, maxBytes, maxFileSize } = conditions
      const bytes = maxBytes === undefined ? undefined : Math.max(0, maxBytes - row.bytes - pending.bytes)
      return {
        files: maxFiles === undefined ? undefined : Math.max(0, maxFiles - row.files - pending.files),
        size: smallest(bytes, maxFileSize),
      }
    },

    /** Forgets shares that are gone. */
    async forget(hashes: readonly string[]): Promise<void> {
      for (const hash of hashes) links.delete(hash)
      if (hashes.length > 0) await database.writeLater(goneStatements(hashes))
    },
  }
}

export type LinkUse = ReturnType<typeof createLinkUse>

const nothing: Used = { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0 }

function newLink(row: UseRow): Link {
  return { row, pending: { downloads: 0, files: 0, bytes: 0 }, recent: new Map() }
}

function smallest(...limits: (number | undefined)[]): number | undefined {
  const given = limits.filter((limit) => limit !== undefined)
  return given.length === 0 ? undefined : Math.min(...given)
}

/** What began within the last hour. */
function recentOf(link: Link, name: string, now: number): Recent | undefined {
  const found = link.recent.get(name)
  return found && (found.running > 0 || now - found.since < sameForMs) ? found : undefined
}

function remember(link: Link, name: string, value: Recent): void {
  link.recent.delete(name)
  link.recent.set(name, value)
  // The oldest comes first.
  for (const oldest of link.recent.keys()) {
    if (link.recent.size <= mostRecent) return
    link.recent.delete(oldest)
  }
}

/** Whether this is the first request of the network within an hour. */
function isNew(link: Link, network: string, now: number): boolean {
  if (recentOf(link, network, now)) return false
  remember(link, network, { since: now, isCounted: true, running: 0 })
  return true
}

/** @throws Problem `share.limit` when the downloads are used up, unless this network has one that goes on. */
function refuseUsedUp(
  link: Link,
  { maxDownloads }: ShareConditions,
  { network, now }: { network: string; now: number },
): void {
  if (maxDownloads === undefined || link.row.downloads < maxDownloads) return
  const isOwn = [...link.recent.keys()].some(
    (name) => name.startsWith(`${network}\n`) && recentOf(link, name, now),
  )
  if (!isOwn) throw new Problem('share.limit')
}
