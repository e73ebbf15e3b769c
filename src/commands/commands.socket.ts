import websocket from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { plainAddress } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import { type App, at } from '#src/http/at.ts'
import { isOwnOrigin } from '#src/http/request-headers.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import { runOverSocket } from './run-over-socket.ts'
import { type CommandSocket, closeSockets } from './socket.ts'

// A command line is short. Longer messages close the socket with code 1009 (RFC 6455 §7.4.1).
const maxMessageBytes = 64 * 1024

/** GET /api/command: runs one command over a WebSocket (contract/README.md#commands, contract/compatibility.md#shell). */
export async function commandRoutes(app: App) {
  const { commands, audit, servedRoot } = app.services
  if (commands.isOn) {
    await app.register(websocket, {
      options: { maxPayload: maxMessageBytes },
      errorHandler: (error, _socket, { log }) => log.debug({ err: error }, 'a command socket failed'),
      preClose: async () => closeSockets(app.websocketServer.clients as Set<CommandSocket>),
    })
  }
  // When an upgrade is refused, the connection has already left HTTP and nothing else closes it.
  app.addHook('onResponse', async ({ raw }) => {
    // Node sets `upgrade` on such a request, but the types do not declare it.
    if ((raw as { upgrade?: boolean }).upgrade) raw.socket.destroySoon()
  })
  app.route({
    ...at('GET /api/command/*'),
    // Runs before the upgrade, so that the server reads no messages from a refused client.
    preHandler: async (request) => {
      commands.permit(request.actor())
      if (!isOwnOrigin(request)) throw new Problem('auth.forbidden')
      resourcePath(request)
      commands.acquirePermit(request.actor())[Symbol.dispose]()
    },
    handler: async () => {
      throw new Problem('request.invalid', { field: 'upgrade', reason: 'must be websocket' })
    },
    ...(commands.isOn && {
      wsHandler: (socket: CommandSocket, request: FastifyRequest) => {
        const { id, ip, log } = request
        return runOverSocket(commands, socket, {
          actor: request.actor(),
          path: resourcePath(request),
          address: plainAddress(ip),
          request: id,
          log,
          note: audit.note,
          root: servedRoot,
        })
      },
    }),
  })
}
