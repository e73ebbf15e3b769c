import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Quotas } from '#src/core/concurrency/quotas.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import type { ProxyWatch } from '#src/core/trusted-proxies.ts'
import type { App } from '#src/http/at.ts'
import { type ConnectionLimits, limitPerNetwork } from '#src/server/sockets/server.ts'
import { dataPolicy } from './headers.ts'

// The hooks that run for every request.

declare module 'fastify' {
  interface FastifyInstance {
    /** The controllers that abort running requests, for those that can be aborted. */
    runningRequests: Set<AbortController>
    /** Aborts the running requests when the grace period is over. */
    abortRunning(): void
  }
  interface FastifyRequest {
    /** The response to this request. `requestSignal` needs to know when it is over. */
    response: ServerResponse
  }
}

/** Refuses new requests once the application is closing. Running requests may finish. */
export function refuseWhenClosing(app: App): void {
  const runningRequests = new Set<AbortController>()
  app.decorate('runningRequests', runningRequests)
  app.decorate('abortRunning', () => {
    for (const controller of runningRequests) controller.abort(new Problem('server.stopping'))
  })
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.decorateRequest('response')
  app.addHook('onRequest', (request, reply, next) => {
    request.response = reply.raw
    next(isClosing ? new Problem('server.stopping') : undefined)
  })
}

/**
 * Refuses a request with two lines `Host`, as RFC 9112 §3.2 requires: a proxy may use one of them, and Node uses the
 * first.
 */
export function refuseSecondHost(app: App): void {
  app.addHook('onRequest', ({ raw: { rawHeaders } }, reply, next) => {
    if (!hasSecondHost(rawHeaders)) return next()
    reply.header('connection', 'close')
    next(new Problem('request.invalid', { field: 'host', reason: 'is there more than once' }))
  })
}

/** Whether names and values in turn contain `host` twice. Runs for every request, so that it makes no copies. */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

/**
 * Limits the running requests of each client behind a trusted proxy, because such a client has no connection of its
 * own to count. The limit is the number of connections that a client without a proxy may have.
 */
export function limitClients(app: App, { all, isTrustedProxy }: ConnectionLimits): void {
  const requests = createSemaphore('requests', { each: limitPerNetwork(all), all: Number.POSITIVE_INFINITY })
  app.addHook('onRequest', (request, reply, next) => {
    const { ip, raw } = request
    const { remoteAddress } = raw.socket
    // The proxy itself, or a Unix socket without the address of a client.
    if (!ip || ip === remoteAddress || !isTrustedProxy(remoteAddress)) return next()
    const permit = requests.tryAcquire(networkOf(ip))
    if (!permit) return next(new Problem('request.limited', { seconds: 1 }))
    reply.raw.once('close', () => permit[Symbol.dispose]())
    next()
  })
}

/**
 * Counts a request for the quota that its contract entry names, until the response is sent or the connection closes.
 */
export function countQuotas(app: App, limits: Quotas): void {
  const permits = new WeakMap<FastifyRequest, Disposable>()
  app.addHook('preHandler', (request, reply, next) => {
    const { endpoint } = request.routeOptions.config
    if (!endpoint?.quota) return next()
    const permit = limits[endpoint.quota].acquireNow(String(request.actor().user.id))
    permits.set(request, permit)
    reply.raw.once('close', () => permit[Symbol.dispose]())
    next()
  })
  // Before the response is sent, so that a client that has received it can send the next request.
  app.addHook('onSend', (request, _reply, payload, next) => {
    permits.get(request)?.[Symbol.dispose]()
    next(null, payload)
  })
}

/** Notices proxies that are not trusted, for the checks of the server. */
export function watchProxies(app: App, proxies: ProxyWatch): void {
  // A proxy sends its headers with every request, so that the first one on a connection shows them.
  const seen = new WeakSet<Socket>()
  app.addHook('onRequest', ({ raw: { socket, headers } }, _reply, next) => {
    if (!seen.has(socket)) proxies.note(socket.remoteAddress, headers)
    seen.add(socket)
    next()
  })
}

/** The browser features that the page uses, and those that it never may, so that no content can request them. */
const permissions = [
  ...['fullscreen=(self)', 'clipboard-write=(self)'],
  ...['camera=()', 'microphone=()', 'geolocation=()', 'display-capture=()', 'payment=()'],
  ...['usb=()', 'serial=()', 'hid=()', 'midi=()', 'xr-spatial-tracking=()'],
].join(', ')

/** Sets the security headers on every response: against content sniffing, framing and leaking referrers. */
export function setHeaders(app: App, { isTls }: { isTls: boolean }): void {
  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(commonHeaders(request, isTls))
    next()
  })
}

/** The headers of every response. */
export function commonHeaders({ id, url }: FastifyRequest, isTls: boolean) {
  return {
    ...(isTls && { 'strict-transport-security': 'max-age=31536000' }),
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': dataPolicy,
    'x-frame-options': 'DENY',
    'permissions-policy': permissions,
    ...(url.startsWith('/api/') && { 'cache-control': 'no-cache, no-store, must-revalidate' }),
  }
}
