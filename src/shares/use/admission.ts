import { hash } from 'node:crypto'
import type { ShareConditions } from '#contract/shares.ts'
import type { DownloadEnd } from '#src/access/principal.ts'
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
  /** The share of its bytes that interrupted requests have sent; 1: as many bytes as it has. */
  broken: number
}

/** A request for bytes of a share. */
interface DownloadRequest {
  network: string
  /** Identifies the bytes in the share. */
  what: string
  /** Their number. Undefined: not known. */
  size?: number | undefined
  /** Milliseconds since 1970. */
  now: number
}

/** What is known about the use of a share in this process. */
export interface Link {
  row: UseRow
  /** Downloads that have begun and are not counted yet, and files and bytes that are being received. */
  pending: { downloads: number; files: number; bytes: number }
  /** By network, or by network and what is downloaded. */
  recent: Map<string, Recent>
  /** What interrupted downloads have sent and is not counted yet; 1: as many bytes as one download has. */
  broken: number
  /** The limit of bytes whose event was emitted because a file was refused. Undefined: none. */
  toldBytes?: number | undefined
  /** Hashes of the networks that have visited. Undefined: not read yet. */
  visitors?: Promise<Set<string>> | undefined
}

/** How a share is used that was not used yet. */
export const unused: Readonly<UseRow> = { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0, last: 0 }

/** Returns a share that is used like this. */
export function newLink(row = unused): Link {
  return { row: { ...row }, pending: { downloads: 0, files: 0, bytes: 0 }, recent: new Map(), broken: 0 }
}

/** Notes a request. Returns whether it is the first one of the network within an hour. */
export function isNewVisit(link: Link, network: string, now: number): boolean {
  if (recentOf(link, network, now)) return false
  remember(link, network, { since: now, isCounted: true, running: 0, broken: 0 })
  return true
}

/** @throws Problem `share.limit` when the downloads are used up, unless this network has had one within an hour. */
export function refuseUsedUp(
  link: Link,
  { maxDownloads }: ShareConditions,
  { network, now }: { network: string; now: number },
): void {
  if (maxDownloads === undefined || link.row.downloads < maxDownloads) return
  const isOwn = (name: string) => name.startsWith(`${network}\n`) && recentOf(link, name, now)?.isCounted
  if (![...link.recent.keys()].some(isOwn)) throw new Problem('share.limit')
}

/** The size of an archive is unknown. After this many bytes, it may contain whole files. */
const archiveBytes = 64 * 1024

/**
 * Reserves a download. Requests of the same network for the same bytes within an hour are one download. An interrupted
 * download does not count, but the bytes of all interrupted downloads add up. When they are as many as one download has, one
 * is counted. So visitors who interrupt downloads on purpose get at most the bytes of one more download.
 *
 * @returns a function that is called at the end. It returns whether a download is to be counted now.
 * @throws Problem `share.limit`; `server.busy` while downloads that are running use up the limit.
 */
export function reserveDownload(
  link: Link,
  { maxDownloads = Number.POSITIVE_INFINITY }: ShareConditions,
  { network, what, size = archiveBytes, now }: DownloadRequest,
): (end: DownloadEnd) => boolean {
  const name = `${network}\n${hash('sha256', what, 'base64url')}`
  const known = recentOf(link, name, now)
  const download = known ?? { since: now, isCounted: false, running: 0, broken: 0 }
  if (!download.isCounted && download.running === 0) {
    refuseAbove(maxDownloads, link.row.downloads, link.pending.downloads)
    link.pending.downloads++
  }
  if (!known) remember(link, name, download)
  download.running++
  return ({ isWhole, sent }) => {
    download.running--
    if (download.isCounted) return false
    if (!isWhole) addBroken(link, download, sent / Math.max(1, size))
    const isUsed = isWhole || link.broken >= 1
    if (!isUsed && download.running > 0) return false
    link.pending.downloads--
    if (!isUsed) return false
    download.isCounted = true
    // What belongs to this download is counted with it.
    link.broken = Math.max(0, link.broken - (isWhole ? download.broken : 1))
    return true
  }
}

function addBroken(link: Link, download: Recent, part: number): void {
  link.broken += part
  download.broken += part
}

/** @throws Problem `share.limit`; `server.busy` when only what is running reaches the limit. */
function refuseAbove(most: number, used: number, running: number): void {
  if (used >= most) throw new Problem('share.limit')
  if (used + running >= most) throw new Problem('server.busy')
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
  const { maxFiles = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = conditions
  const { row, pending } = link
  refuseAbove(maxFiles, row.files, pending.files)
  refuseAbove(maxBytes, row.bytes, pending.bytes)
  const least = size ?? 0
  if (least > maxFileSize) throw new Problem('request.large', { limit: maxFileSize })
  const { bytes } = leftIn(link, conditions)
  if (row.bytes + least > maxBytes) throw new Problem('share.limit')
  if (least > bytes) throw new Problem('server.busy')
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
function leftIn(
  { row, pending }: Link,
  { maxFiles = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: ShareConditions,
): { files: number; bytes: number } {
  return {
    files: Math.max(0, maxFiles - row.files - pending.files),
    bytes: Math.max(0, maxBytes - row.bytes - pending.bytes),
  }
}

/** What a share may still be used for. Undefined: unlimited. */
export interface Left {
  files: number | undefined
  size: number | undefined
  /** Of all files together. */
  bytes: number | undefined
  downloads: number | undefined
}

/** What a share may still be used for. */
export function leftOf(link: Link, conditions: ShareConditions): Left {
  const { files, bytes } = leftIn(link, conditions)
  const { maxDownloads, maxFileSize = bytes } = conditions
  return {
    files: finite(files),
    size: finite(Math.min(bytes, maxFileSize)),
    bytes: finite(bytes),
    downloads: maxDownloads && Math.max(0, maxDownloads - link.row.downloads),
  }
}

/** Returns undefined for infinity. */
function finite(number: number): number | undefined {
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
  for (const [oldest, { since, running }] of link.recent) {
    const isOver = running === 0 && value.since - since >= sameForMs
    if (!isOver && link.recent.size <= mostRecent) return
    link.recent.delete(oldest)
  }
}
