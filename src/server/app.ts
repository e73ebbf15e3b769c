import serveStatic from '@fastify/static'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import Fastify, { type FastifyServerOptions, LogController } from 'fastify'
import { selectionRoutes } from '#src/archives/selection.routes.ts'
import { auditRoutes } from '#src/audit/audit.routes.ts'
import { authRoutes } from '#src/auth/auth.routes.ts'
import { bookmarksRoutes } from '#src/bookmarks/bookmarks.routes.ts'
import { commandRoutes } from '#src/commands/commands.socket.ts'
import type { Log } from '#src/core/log/log.ts'
import { createProxyCheck } from '#src/core/trusted-proxies.ts'
import { detailsRoutes } from '#src/details/details.routes.ts'
import { doctorRoutes } from '#src/doctor/doctor.routes.ts'
import { rawRoutes } from '#src/downloads/raw.routes.ts'
import { eventRoutes } from '#src/events/events.routes.ts'
import { heldRoutes } from '#src/held/held.routes.ts'
import type { App } from '#src/http/at.ts'
import { trashRoutes, versionsRoutes } from '#src/kept/kept.routes.ts'
import { metadataRoutes } from '#src/metadata/metadata.routes.ts'
import { mailRoutes } from '#src/notices/mail/mail.routes.ts'
import { noticesRoutes } from '#src/notices/notices.routes.ts'
import { webhookRoutes } from '#src/notices/webhooks/webhook.routes.ts'
import { operationsRoutes } from '#src/operations/operations.routes.ts'
import { previewsRoutes } from '#src/previews/previews.routes.ts'
import { resourceViewRoutes } from '#src/resources/resource-view.routes.ts'
import { resourcesRoutes, rotationRoutes, transfersRoutes } from '#src/resources/resources.routes.ts'
import { searchRoutes } from '#src/search/search.routes.ts'
import { addBodyParsers } from '#src/server/bodies/body-parsers.ts'
import { closeOtherListeners } from '#src/server/sockets/inherited.ts'
import {
  createConnections,
  createServers,
  type ServerOptions,
  stripBaseUrl,
} from '#src/server/sockets/server.ts'
import type { Certificate } from '#src/server/sockets/tls.ts'
import { settingsRoutes } from '#src/settings/settings.routes.ts'
import { sharesRoutes } from '#src/shares/shares.routes.ts'
import { publicRoutes } from '#src/shares/visiting/public.routes.ts'
import { receiveRoutes } from '#src/shares/visiting/receive.routes.ts'
import { publishRoutes, siteRoutes } from '#src/site/site.routes.ts'
import type { Services } from '#src/start/services.ts'
import { tusRoutes } from '#src/uploads/tus.routes.ts'
import { visitorTusRoutes } from '#src/uploads/visitor-tus.routes.ts'
import { usersRoutes } from '#src/users/users.routes.ts'
import { endOperations, guardAccess } from './access.ts'
import type { Assets } from './assets.ts'
import { badUrlHandler, clientErrorHandler, setErrorHandlers } from './error-handler.ts'
import {
  countQuotas,
  limitClients,
  refuseSecondHost,
  refuseWhenClosing,
  setHeaders,
  watchProxies,
} from './every-request.ts'
import { logRequests, requestIds } from './request-log.ts'
import { serveSpaPage } from './spa-page.ts'
import { systemRoutes } from './system.routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    services: Services
    /** Uses another certificate for new connections. @throws Error when it is not valid. */
    setCertificate(pair: Certificate): void
  }
}

/** Builds the HTTP application from running services. Does not listen. */
export async function createApp(
  services: Services,
  { assets, server, log }: { assets: Assets; server: ServerOptions; log: Log },
): Promise<App> {
  const clients = { all: services.connections, isTrustedProxy: createProxyCheck(server.trustedProxy) }
  const servers = createServers(server, createConnections(clients))
  const options = { ...fastifyOptions(server, log), serverFactory: servers.create }
  const app: App = Fastify(options).withTypeProvider<TypeBoxTypeProvider>()
  app.decorate('services', services)
  app.decorate('setCertificate', servers.setCertificate)
  closeOtherListeners(app)
  compileLazily(app)
  setHeaders(app, { isTls: server.tls !== undefined })
  setErrorHandlers(app, log)
  logRequests(app, { log, which: server.logRequests })
  refuseWhenClosing(app)
  refuseSecondHost(app)
  limitClients(app, clients)
  watchProxies(app, services.proxies)
  await addBodyParsers(app, server.limits)
  guardAccess(app, services)
  countQuotas(app, services.limits)
  endOperations(app)
  addBareRoots(app)
  for (const routes of allRoutes) await app.register(routes)
  // Sends files of the branding folder, whose path is a setting: it serves no folder by itself.
  await app.register(serveStatic, { root: '/', serve: false })
  const { instanceInfo, limits } = services
  serveSpaPage(app, {
    ...{ assets, look: instanceInfo, count: limits.anonymous.take },
    cardOf: services.shareAccess.card,
  })
  return app
}

/** Registers each route that ends in `/*` also without it: `/api/resources` without a slash is the root as well. */
function addBareRoots(app: App): void {
  app.addHook('onRoute', function (route) {
    if (route.url.endsWith('/*') && route.method !== 'HEAD')
      this.route({ ...route, url: route.url.slice(0, -2) })
  })
}

const allRoutes = [
  authRoutes,
  usersRoutes,
  settingsRoutes,
  resourceViewRoutes,
  resourcesRoutes,
  rotationRoutes,
  transfersRoutes,
  tusRoutes,
  visitorTusRoutes,
  detailsRoutes,
  rawRoutes,
  selectionRoutes,
  previewsRoutes,
  metadataRoutes,
  searchRoutes,
  sharesRoutes,
  publicRoutes,
  receiveRoutes,
  commandRoutes,
  siteRoutes,
  publishRoutes,
  doctorRoutes,
  auditRoutes,
  eventRoutes,
  operationsRoutes,
  trashRoutes,
  versionsRoutes,
  bookmarksRoutes,
  noticesRoutes,
  webhookRoutes,
  mailRoutes,
  heldRoutes,
  systemRoutes,
]

function fastifyOptions(
  { baseUrl, trustedProxy, limits, logRequests: which }: ServerOptions,
  log: Log,
): FastifyServerOptions {
  const isTrustedProxy = createProxyCheck(trustedProxy)
  return {
    loggerInstance: log,
    bodyLimit: limits.maxBody,
    trustProxy: isTrustedProxy,
    rewriteUrl: ({ url = '/' }) => stripBaseUrl(url, baseUrl),
    genReqId: requestIds(isTrustedProxy),
    childLoggerFactory: (parent) => parent,
    requestIdHeader: false as const,
    frameworkErrors: badUrlHandler({ log, which }),
    clientErrorHandler: clientErrorHandler(log),
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 16_384 },
    forceCloseConnections: 'idle' as const,
    return503OnClosing: false, // `refuseWhenClosing` sends it as a Problem
  }
}

// A test checks our schemas against JSON Schema. Doing this at every start would take 30 ms.
const rules: Options = {
  removeAdditional: true,
  useDefaults: true,
  allErrors: false,
  strict: false,
  validateSchema: false,
  meta: false,
}

/**
 * Compiles schemas at the first request that needs them. Compiling all of them took a third of the startup time,
 * mostly for endpoints that are never used.
 */
export function compileLazily(app: App): void {
  // All values in a URL are text, so they are converted to numbers. In a body, a wrong type is an error.
  const body = new Ajv({ ...rules, coerceTypes: false })
  const text = new Ajv({ ...rules, coerceTypes: true })
  app.setValidatorCompiler<object>(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? body : text
    let compiled: ValidateFunction | undefined
    // Fastify reads the errors from the function itself.
    const check: { (value: unknown): boolean; errors?: ErrorObject[] } = (value) => {
      compiled ??= ajv.compile(schema)
      const isGood = compiled(value)
      check.errors = compiled.errors ?? []
      return isGood
    }
    return check
  })
  app.setSerializerCompiler<object>(({ schema }) => {
    let write: ReturnType<typeof fastJson> | undefined
    return (value) => {
      write ??= fastJson(schema)
      return write(value)
    }
  })
}
