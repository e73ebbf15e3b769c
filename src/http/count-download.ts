import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BegunDownload, Principal } from '#src/access/principal.ts'

/** The bytes that a download is about to send. */
interface Download extends BegunDownload {
  person: Principal
}

/** The bytes of an archive whose size is not known, for limits: it may contain whole files. */
const unknownBytes = 64 * 1024

/**
 * Counts a download of a visitor, and records that of a user if the settings say so. How much was sent is known when the
 * response is closed.
 */
export function countDownload(
  request: FastifyRequest,
  { raw }: FastifyReply,
  { person, ...download }: Download,
): void {
  if (request.method === 'HEAD') return
  const end = person.beginDownload ? person.beginDownload(download) : endOfUsers(request, download)
  if (!end) return
  if (raw.destroyed) {
    end({ isWhole: false, sent: 0 })
    return
  }
  const { socket } = raw
  // A pipelined request has no connection before earlier responses have ended: what it gets cannot be measured.
  const unknown = download.size ?? unknownBytes
  const before = socket?.bytesWritten ?? 0
  let isWhole = false
  raw.once('finish', () => {
    isWhole = [200, 206].includes(raw.statusCode)
  })
  raw.once('close', () => {
    const sent = bodyBytes(raw, (socket?.bytesWritten ?? before) - before, isWhole)
    end({ isWhole, sent: socket || isWhole ? sent : unknown })
  })
}

/** Begins the record of a user's download. Undefined: it is not recorded. */
function endOfUsers(request: FastifyRequest, download: BegunDownload) {
  const { user, session } = request.actor()
  const who = { userId: user.id, session: session.id, address: request.ip }
  return request.server.services.beginUserDownload(who, download)
}

/**
 * The bytes of a body.
 *
 * @param sent bytes of the response that were given to the system, with its headers
 */
function bodyBytes(raw: ServerResponse, sent: number, isWhole: boolean): number {
  // Other answers have no bytes of the file.
  if (![200, 206].includes(raw.statusCode)) return 0
  const length = Number(raw.getHeader('content-length') ?? Number.NaN)
  if (isWhole && Number.isFinite(length)) return length
  // Node has no public property for the headers as they were sent. Without it, the bytes are some hundred too many.
  const { _header: head } = raw as { _header?: unknown }
  return Math.max(0, sent - (typeof head === 'string' ? head.length : 0))
}
