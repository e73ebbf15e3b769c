import type { Received } from '#contract/shares.ts'
import type { Share } from '#web/api/origin.ts'
import type { SentFile } from './sending-state.ts'

const keyOf = ({ hash }: Share) => `received ${hash}`

/** The files of this visit that have arrived, also before a reload of the page. */
export function readReceipts(link: Share): Received[] {
  try {
    const { visit, files } = JSON.parse(sessionStorage.getItem(keyOf(link)) ?? '{}')
    return visit === link.visit && Array.isArray(files) ? files : []
  } catch {
    return [] // the browser keeps nothing, or something else
  }
}

/** Keeps what has arrived for a reload of the page. */
export function keepReceipts(link: Share, all: readonly SentFile[]): void {
  const files = all.flatMap(({ received }) => received ?? [])
  try {
    sessionStorage.setItem(keyOf(link), JSON.stringify({ visit: link.visit, files }))
  } catch {
    // The storage is full or turned off. The receipt is complete until the page is closed.
  }
}

/** The receipt as a text: a line for each file with its SHA-256, size in bytes, and path, as `sha256sum` writes them. */
export function receiptText(files: readonly Received[], title: string): string {
  const lines = files.map(
    ({ path, size, sha256 }) => `${sha256}  ${path.replace(/^\//, '')}  (${size} bytes)`,
  )
  return [title, new Date().toISOString(), '', ...lines, ''].join('\n')
}
