import { randomUUID } from 'node:crypto'
import serveStatic from '@fastify/static'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions, LogController } from 'fastify'
import { selectionRoutes } from '#src/archives/archive.routes.ts'
import { authRoutes } from '#src/auth/auth.routes.ts'
import { commandRoutes } from '#src/commands/commands.socket.ts'
import { createProxyCheck } from '#src/core/trusted-proxies.ts'
import { detailsRoutes } from '#src/details/details.routes.ts'
import { rawRoutes } from '#src/downloads/raw.routes.ts'
import type { App } from '#src/http/at.ts'
import { previewsRoutes } from '#src/previews/previews.routes.ts'
import { resourceViewRoutes } from '#src/resources/resource-view.routes.ts'
import { resourcesRoutes, transfersRoutes } from '#src/resources/resources.routes.ts'
import { searchRoutes } from '#src/search/search.routes.ts'
import type { Services } from '#src/services.ts'
import { settingsRoutes } from '#src/settings/settings.routes.ts'
import { publicRoutes } from '#src/shares/public.routes.ts'
import { sharesRoutes } from '#src/shares/shares.routes.ts'
import { tusRoutes } from '#src/uploads/tus.routes.ts'
import { usersRoutes } from '#src/users/users.routes.ts'
import { guardAccess } from './access.ts'
import type { Assets } from './assets.ts'
import { addBodyParsers } from './bodies/body-parsers.ts'
import { compileLazily } from './compilers.ts'
import { handleBadUrl, handleClientError, setErrorHandlers } from './error-handler.ts'
import { setHeaders } from './headers.ts'
import { refuseWhenClosing } from './shutdown.ts'
import { createConnections, limitClients } from './sockets/connections.ts'
import { createServers } from './sockets/create-server.ts'
import { type ServerOptions, stripBaseUrl } from './sockets/server.ts'
import { serveSpaPage } from './spa-page.ts'
import { systemRoutes } from './system.routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    services: Services
  }
}

/** Builds the HTTP application from running services. Does not listen. */
export async function createApp(
  services: Services,
  { assets, server, log }: { assets: Assets; server: ServerOptions; log: FastifyBaseLogger },
): Promise<App> {
  const clients = { all: services.connections, isTrustedProxy: createProxyCheck(server.trustedProxy) }
  const serverFactory = createServers(server, createConnections(clients))
  const options = { ...fastifyOptions(server, log), serverFactory }
  const app: App = Fastify(options).withTypeProvider<TypeBoxTypeProvider>()
  app.decorate('services', services)
  compileLazily(app)
  setHeaders(app, { isTls: server.tls !== undefined })
  setErrorHandlers(app)
  logRequests(app)
  refuseWhenClosing(app)
  limitClients(app, clients)
  await addBodyParsers(app, server.limits)
  guardAccess(app, services)
  addBareRoots(app)
  for (const routes of allRoutes) await app.register(routes)
  // Sends files of the branding folder, whose path is a setting: it serves no folder by itself.
  await app.register(serveStatic, { root: '/', serve: false })
  const { instanceInfo, limits } = services
  serveSpaPage(app, { assets, look: instanceInfo, count: limits.anonymous.take })
  return app
}

/** Registers each route that ends in `/*` also without it: `/api/resources` without a slash is the root as well. */
function addBareRoots(app: App): void {
  app.addHook('onRoute', function (route) {
    if (route.url.endsWith('/*') && route.method !== 'HEAD')
      this.route({ ...route, url: route.url.slice(0, -2) })
  })
}

/**
 * Logs one line per response; `request` is the id that the client got in `X-Request-Id` (contract/README.md#errors).
 */
function logRequests(app: App): void {
  app.addHook(
    'onResponse',
    async ({ id, method, url, ip, username: who, log }, { statusCode, elapsedTime }) => {
      log.info(
        {
          method,
          url,
          status: statusCode,
          ms: Math.round(elapsedTime * 10) / 10,
          user: who,
          address: ip,
          request: id,
        },
        'answered',
      )
    },
  )
}

const allRoutes = [
  authRoutes,
  usersRoutes,
  settingsRoutes,
  resourceViewRoutes,
  resourcesRoutes,
  transfersRoutes,
  tusRoutes,
  detailsRoutes,
  rawRoutes,
  selectionRoutes,
  previewsRoutes,
  searchRoutes,
  sharesRoutes,
  publicRoutes,
  commandRoutes,
  systemRoutes,
]

function fastifyOptions(
  { baseUrl, trustedProxy, limits }: ServerOptions,
  log: FastifyBaseLogger,
): FastifyServerOptions {
  return {
    loggerInstance: log,
    bodyLimit: limits.maxBody,
    trustProxy: createProxyCheck(trustedProxy),
    rewriteUrl: ({ url = '/' }) => stripBaseUrl(url, baseUrl),
    genReqId: () => randomUUID(),
    childLoggerFactory: (parent: FastifyBaseLogger) => parent,
    requestIdHeader: false as const,
    frameworkErrors: handleBadUrl,
    clientErrorHandler: handleClientError,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 16_384 },
    forceCloseConnections: 'idle' as const,
    return503OnClosing: false, // `refuseWhenClosing` sends it as a Problem
  }
}
