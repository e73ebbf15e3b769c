import { hash } from 'node:crypto'
import type { DownloadEnd } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'

/** Requests of one client for the same bytes within this time are one download. */
const sameForMs = 60 * 60_000
/** A download without a request for this time was broken off. */
const idleMs = 5 * 60_000
const settleEveryMs = 15_000
/** Number of downloads that are remembered. The oldest are settled early. */
const mostRemembered = 10_000

/** What was sent of a download. */
export interface Downloaded {
  /** Bytes of all requests since the last call for this download. */
  bytes: number
  /** Whether everything was sent. */
  isWhole: boolean
}

interface Download<About> {
  about: About
  /** Undefined: not known. */
  size: number | undefined
  since: number
  /** When its last request has ended. */
  last: number
  /** Number of requests that are running. */
  running: number
  /** Bytes of all requests, and those of which `tell` does not know. */
  total: number
  untold: number
  /** Whether a request has got everything that it asked for. */
  hasAnswered: boolean
  isWhole: boolean
  isForgotten: boolean
}

interface BeginOptions<About> {
  client: string
  /** Identifies the bytes. */
  what: string
  /** Their number. Undefined: not known. */
  size: number | undefined
  about: About
}

export type Downloads<About> = ReturnType<typeof createDownloads<About>>

/**
 * Makes one download of all requests of a client for the same bytes, as browsers and download managers ask for ranges.
 *
 * @param tell called when a download is over: when everything was sent, when no request has come for five minutes, or at
 *   the end. Called again for a download that is resumed later, with the bytes since then. Must not throw
 */
export function createDownloads<About>(clock: Clock, tell: (about: About, how: Downloaded) => void) {
  const downloads = new Map<string, Download<About>>()
  const settling = setInterval(() => settle(), settleEveryMs).unref()

  function tellOf(download: Download<About>): void {
    // Nothing was sent: the client had the file already, or it was refused.
    if (download.untold === 0 && !download.isWhole) return
    tell(download.about, { bytes: download.untold, isWhole: download.isWhole })
    download.untold = 0
  }

  function forget(key: string, download: Download<About>): void {
    downloads.delete(key)
    download.isForgotten = true
    if (!download.isWhole && download.running === 0) tellOf(download)
  }

  function remember(key: string, download: Download<About>): void {
    const [oldest] = downloads
    if (oldest && downloads.size >= mostRemembered) forget(...oldest)
    downloads.set(key, download)
  }

  function find(key: string): Download<About> | undefined {
    const found = downloads.get(key)
    if (!found || found.running > 0 || clock() - found.since < sameForMs) return found
    forget(key, found)
    return undefined
  }

  /** Tells the downloads that were broken off. */
  function settle(): void {
    const now = clock()
    for (const [key, download] of downloads) {
      if (download.running > 0) continue
      if (now - download.since >= sameForMs) forget(key, download)
      else if (!download.isWhole && now - download.last >= idleMs) tellOf(download)
    }
  }

  return {
    settle,

    /** Notes a request. Returns a function that is called once, at its end. */
    begin({ client, what, size, about }: BeginOptions<About>): (end: DownloadEnd) => void {
      const key = `${client}\n${hash('sha256', what, 'base64url')}`
      const known = find(key)
      const download = known ?? newDownload(about, size, clock())
      if (!known) remember(key, download)
      download.running++
      return (end) => {
        download.running--
        download.last = clock()
        // A repetition within the hour is the same download.
        if (download.isWhole) return
        add(download, end)
        if (download.isWhole || (download.isForgotten && download.running === 0)) tellOf(download)
      }
    },

    /** Tells all downloads that are not over. */
    close(): void {
      clearInterval(settling)
      for (const [key, download] of downloads) forget(key, download)
    },
  }
}

function newDownload<About>(about: About, size: number | undefined, now: number): Download<About> {
  const flags = { hasAnswered: false, isWhole: false, isForgotten: false }
  return { about, size, since: now, last: now, running: 0, total: 0, untold: 0, ...flags }
}

function add(download: Download<unknown>, { isWhole, sent }: DownloadEnd): void {
  download.total += sent
  download.untold += sent
  download.hasAnswered ||= isWhole
  const { size, total, hasAnswered } = download
  // Interrupted requests alone never make a whole download: some of their bytes may be lost on the way.
  download.isWhole = hasAnswered && (size === undefined ? isWhole : total >= size)
}
