import type { Received } from '#contract/shares.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { App } from '#src/http/at.ts'
import type { OpenShare } from '#src/shares/visiting/share-access.ts'
import type { UploadProgress } from './append-upload.ts'

/** Number of receipts that are remembered, for visitors who did not receive the last answer. */
const maxReceipts = 1000
/** How long the checksum of a received file may take, in milliseconds. Without it, the file has still arrived. */
const checksumMs = 10 * 60_000

/** Makes and remembers the receipts of files that visitors send in pieces. */
export function createReceipts({ services: { details } }: App) {
  const receipts = new Map<string, Promise<Received>>()

  /** The checksum is that of the file on the disk. It is made also if the visitor has lost the connection. */
  async function make({ owner, pathOfOwner }: OpenShare, path: UserPath, size: number): Promise<Received> {
    const signal = AbortSignal.timeout(checksumMs)
    const how = { algorithm: 'sha256', verb: 'read', signal } as const
    // The visitor has just sent these bytes, so the owner need not be allowed to download them.
    const perm = { ...owner.user.perm, download: true }
    const reader = { ...owner, user: { ...owner.user, perm } }
    const sha256 = await details.checksum(reader, pathOfOwner(path), how).catch(() => '')
    return { path, size, sha256 }
  }

  return {
    /** The receipt of a complete upload: the one that was made before, or a new one. Undefined: it is not complete. */
    async of(visited: OpenShare, { id, path, length }: UploadProgress): Promise<Received | undefined> {
      const known = receipts.get(id)
      if (known || path === undefined) return known
      const made = make(visited, path, length)
      setBounded(receipts, id, made, maxReceipts)
      return made
    },

    /** Makes the receipt of a file that is held. */
    hold(id: string | undefined, path: UserPath, size: number): Received {
      const received = { path, size, sha256: '', held: true }
      if (id !== undefined) setBounded(receipts, id, Promise.resolve(received), maxReceipts)
      return received
    },
  }
}

export type Receipts = ReturnType<typeof createReceipts>

/** The header of a response that carries a receipt. Percent-encoded, because headers are limited to ASCII. */
export function receiptHeader(received: Received | undefined): { 'x-received'?: string } {
  return received ? { 'x-received': encodeURIComponent(JSON.stringify(received)) } : {}
}
