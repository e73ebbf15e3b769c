import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { FastifyListenOptions } from 'fastify'
import { errnoOf, StartupProblem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'
import { socketOptions } from './server.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The servers that accept connections for the server of the application, each on a socket of its own. */
    otherListeners: Set<Server>
  }
}

/**
 * Listens on sockets that another process has opened, such as systemd, and returns the address of the first one.
 *
 * @param descriptors at least one
 * @throws StartupProblem when one of them is not a listening socket.
 */
export async function listenOnInherited(
  app: App,
  descriptors: readonly number[],
): Promise<ReturnType<Server['address']>> {
  const [first, ...others] = descriptors
  try {
    // The types of the framework lack `fd`, but it passes all options on to Node. The host is not used.
    const options: FastifyListenOptions & { fd: number | undefined } = { fd: first, host: '' }
    await app.listen(options)
    for (const fd of others) await listenAlso(app, fd)
    return app.server.address()
  } catch (error) {
    if (error instanceof StartupProblem) throw error
    const code = errnoOf(error) ?? 'unknown'
    throw new StartupProblem(
      `Coffer cannot listen on the sockets that it inherited (${code}): use a stream socket with Accept=no in the .socket unit.`,
      { cause: error },
    )
  }
}

/** Listens on one more descriptor. The application has one server, which also serves these connections. */
async function listenAlso(app: App, fd: number): Promise<void> {
  const server = createServer(socketOptions, (socket) => app.server.emit('connection', socket))
  app.otherListeners.add(server)
  server.listen({ fd })
  await once(server, 'listening')
}

/** Closes the other listeners with the application, which waits until their connections have ended. */
export function closeOtherListeners(app: App): void {
  app.decorate('otherListeners', new Set<Server>())
  let closed: readonly Promise<unknown>[] = []
  app.addHook('preClose', async () => {
    closed = [...app.otherListeners].filter(({ listening }) => listening).map(closedOf)
  })
  app.addHook('onClose', async () => {
    await Promise.all(closed)
  })
}

function closedOf(server: Server): Promise<unknown> {
  const closed = once(server, 'close')
  server.close()
  return closed
}
