import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import { lazyLibc } from '#src/core/libc.ts'
import type { ReceiveOptions } from '#src/files/receiving/receive.ts'
import type { BodySocket } from '#src/files/receiving/socket-receivers.ts'

const load = lazyLibc({ fcntl: { arguments: ['int32', 'int32', 'int32'], return: 'int32' } })
// The number of Linux on x64 and arm64 (fcntl(2)).
const duplicateClosedOnExec = 1030

/** The handle of libuv of a connection. Node has no public API for the descriptor. */
interface Handle {
  readonly fd?: number
  readStart(): number
  readStop(): number
}

/**
 * The connection of a request, if a thread can read the rest of the body from it: the body has a known length and arrives
 * without encryption, so that all further bytes of the connection are its content.
 */
export function directBody(request: FastifyRequest): ReceiveOptions['direct'] {
  const socket = bodySocket(request)
  return socket && { socket, receivers: request.server.services.receivers }
}

function bodySocket({ raw, response }: FastifyRequest): BodySocket | undefined {
  const { socket, headers } = raw
  const isPlain = socket instanceof Socket && !(socket instanceof TLSSocket)
  if (!isPlain || !(raw instanceof IncomingMessage) || !headers['content-length']) return undefined
  let idleMs = 0

  return {
    detach() {
      const handle = (socket as unknown as { _handle?: Handle | null })._handle
      const libc = load()
      if (!libc || !handle || socket.destroyed || response.headersSent || !((handle.fd ?? -1) >= 0))
        return undefined
      const descriptor = libc.fcntl(handle.fd as number, duplicateClosedOnExec, 0)
      if (descriptor < 0) return undefined
      idleMs = socket.timeout ?? 0
      socket.setTimeout(0)
      handle.readStop()
      // Node starts to read again when a stream has room, and later to discard an unread body.
      handle.readStart = () => 0
      // The parser of HTTP does not see the rest of the body, so no further request can follow on this connection.
      response.setHeader('connection', 'close')
      raw.pause()
      raw._read = () => {}
      while (raw.read() !== null); // emits `data`
      return { descriptor, idleMs }
    },
    destroy: () => void socket.destroy(),
    end() {
      const isOpen = !socket.destroyed
      if (isOpen) socket.setTimeout(idleMs)
      raw.complete = true
      raw.push(null)
      return isOpen
    },
  }
}
