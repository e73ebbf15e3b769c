import type { ShareConditions } from '#contract/shares.ts'
import { Problem } from '#src/core/problem.ts'
import type { UseRow } from './link-rows.ts'

/** Requests of one network for the same bytes within this time are one download, and its requests are one visit. */
const sameForMs = 60 * 60_000
/** Number of visits and downloads of a share that are remembered for this time. */
const mostRecent = 10_000

/** A visit, or a download with all its ranges. */
interface Recent {
  since: number
  isCounted: boolean
  /** Number of requests that are running. */
  running: number
}

/** What is known about the use of a share in this process. */
export interface Link {
  row: UseRow
  /** Downloads that have begun and are not counted yet, and files and bytes that are being received. */
  pending: { downloads: number; files: number; bytes: number }
  /** By network, or by network and what is downloaded. */
  recent: Map<string, Recent>
  /** Hashes of the networks that have visited. Undefined: not read yet. */
  visitors?: Set<string>
}

/** Returns a share that is used like this. Undefined: it was not used yet. */
export function newLink(
  row: UseRow = { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0, last: 0 },
): Link {
  return { row, pending: { downloads: 0, files: 0, bytes: 0 }, recent: new Map() }
}

/** Notes a request. Returns whether it is the first one of the network within an hour. */
export function isNewVisit(link: Link, network: string, now: number): boolean {
  if (recentOf(link, network, now)) return false
  remember(link, network, { since: now, isCounted: true, running: 0 })
  return true
}

/** @throws Problem `share.limit` when the downloads are used up, unless this network has had one within an hour. */
export function refuseUsedUp(
  link: Link,
  { maxDownloads }: ShareConditions,
  { network, now }: { network: string; now: number },
): void {
  if (maxDownloads === undefined || link.row.downloads < maxDownloads) return
  const isOwn = (name: string) => name.startsWith(`${network}\n`) && recentOf(link, name, now)
  if (![...link.recent.keys()].some(isOwn)) throw new Problem('share.limit')
}

/**
 * Reserves a download. Requests with the same name within an hour belong to it.
 *
 * @returns a function that is called at the end, with true when every byte was sent. It returns whether the download is
 *   to be counted now.
 * @throws Problem `share.limit`
 */
export function reserveDownload(
  link: Link,
  { maxDownloads = Number.POSITIVE_INFINITY }: ShareConditions,
  { name, now }: { name: string; now: number },
): (isWhole: boolean) => boolean {
  const known = recentOf(link, name, now)
  if (!known && link.row.downloads + link.pending.downloads >= maxDownloads) throw new Problem('share.limit')
  const download = known ?? { since: now, isCounted: false, running: 0 }
  if (!known) {
    remember(link, name, download)
    link.pending.downloads++
  }
  download.running++
  return (isWhole) => {
    download.running--
    if (download.isCounted || (!isWhole && download.running > 0)) return false
    link.pending.downloads--
    if (isWhole) download.isCounted = true
    else if (link.recent.get(name) === download) link.recent.delete(name)
    return isWhole
  }
}

/**
 * Reserves room for a file that is sent.
 *
 * @param size its bytes. Undefined: not known; everything that is left is reserved
 * @returns the bytes that it may have (undefined: unlimited), and a function that gives the room back
 * @throws Problem `share.limit`; `request.large` for a size above that of one file.
 */
export function reserveFile(
  link: Link,
  conditions: ShareConditions,
  size: number | undefined,
): { limit: number | undefined; release(): void } {
  const { maxFileSize = Number.POSITIVE_INFINITY } = conditions
  const { files, bytes } = leftIn(link, conditions)
  const least = size ?? 0
  if (files < 1 || bytes < Math.max(1, Math.min(least, maxFileSize))) throw new Problem('share.limit')
  if (least > maxFileSize) throw new Problem('request.large', { limit: maxFileSize })
  const limit = finite(Math.min(bytes, maxFileSize))
  const reserved = conditions.maxBytes === undefined ? 0 : (size ?? limit ?? 0)
  link.pending.files++
  link.pending.bytes += reserved
  return {
    limit,
    release() {
      link.pending.files--
      link.pending.bytes -= reserved
    },
  }
}

/** How many files and bytes may still be sent; infinity: unlimited. */
export function leftIn(
  { row, pending }: Link,
  { maxFiles = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: ShareConditions,
): { files: number; bytes: number } {
  return {
    files: Math.max(0, maxFiles - row.files - pending.files),
    bytes: Math.max(0, maxBytes - row.bytes - pending.bytes),
  }
}

/** Returns undefined for infinity. */
export function finite(number: number): number | undefined {
  return Number.isFinite(number) ? number : undefined
}

/** A visit or a download that is running, or has begun within the last hour. */
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
