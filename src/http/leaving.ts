import type { FastifyRequest } from 'fastify'

/** Aborts when the client of a request leaves before it is answered, and when the server stops without waiting for it. */
export function leaving({ raw, server: { underWay } }: FastifyRequest): AbortSignal {
  const controller = new AbortController()
  if (raw.socket.destroyed) controller.abort()
  const { socket } = raw
  const leave = () => controller.abort()
  underWay.add(controller)
  socket.once('close', leave)
  // A kept-alive connection serves many requests: each takes its listener away again.
  raw.once('close', () => {
    underWay.delete(controller)
    if (!socket.destroyed) socket.off('close', leave)
  })
  return controller.signal
}
