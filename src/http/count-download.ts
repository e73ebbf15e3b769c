import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DownloadEnd, Principal } from '#src/access/principal.ts'

/** The bytes that a download is about to send. */
interface Download {
  person: Principal
  /** Identifies the bytes in the share. */
  what: string
  /** Their number. Undefined: not known before the end, as for an archive. */
  size?: number
}

/** Counts a download of a visitor. How much was sent is known when the response is closed. */
export function countDownload(
  { method }: FastifyRequest,
  { raw }: FastifyReply,
  { person, what, size }: Download,
): void {
  if (method === 'HEAD') return
  const end = person.beginDownload?.({ what, size })
  if (!end) return
  if (raw.destroyed) {
    end({ isWhole: false, sent: 0 })
    return
  }
  const { socket } = raw
  const before = socket?.bytesWritten ?? 0
  let isWhole = false
  raw.once('finish', () => {
    isWhole = [200, 206].includes(raw.statusCode)
  })
  raw.once('close', () => end(ending(raw.statusCode, isWhole, (socket?.bytesWritten ?? 0) - before)))
}

function ending(status: number, isWhole: boolean, sent: number): DownloadEnd {
  // Other answers have no bytes of the file.
  return { isWhole, sent: [200, 206].includes(status) ? sent : 0 }
}
