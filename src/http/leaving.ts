import type { FastifyRequest } from 'fastify'

/** Aborts when the client of a request leaves before it is answered. */
export function leaving({ raw }: FastifyRequest): AbortSignal {
  const controller = new AbortController()
  if (raw.socket.destroyed) controller.abort()
  const { socket } = raw
  const leave = () => controller.abort()
  socket.once('close', leave)
  // A kept-alive connection serves many requests: each takes its listener away again.
  raw.once('close', () => {
    if (!socket.destroyed) socket.off('close', leave)
  })
  return controller.signal
}
