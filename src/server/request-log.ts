import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '#src/core/log/log.ts'
import { plainAddress } from '#src/core/network.ts'
import type { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'

/** Which responses get a line in the log. */
export interface RequestLogOptions {
  readonly log: Log
  /** `errors`: those with a status of 400 and higher. */
  readonly which: 'all' | 'errors'
}

/**
 * Logs one line for each response when it is sent or its connection is closed; `request` is the id that the client got
 * in `X-Request-Id` (contract/README.md#errors).
 */
export function logRequests(app: App, options: RequestLogOptions): void {
  app.addHook('onRequest', (request, reply, next) => {
    const before = bytesSent(request)
    reply.raw.once('close', () => logResponse(request, reply, { ...options, before }))
    next()
  })
}

// The status that nginx logs when the client has disconnected before the response began.
const clientClosed = 499

/** Logs the line of one response. @param before the bytes that were sent on its connection before it */
export function logResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, which, before }: RequestLogOptions & { before: number },
): void {
  const { id, method, url, ip, username: user, raw } = request
  // Node sets `upgrade` on such a request, but the types do not declare it.
  const isSocket = (raw as { upgrade?: boolean }).upgrade && reply.sent && !reply.raw.headersSent
  const isAborted = !isSocket && raw.socket.destroyed && !reply.raw.writableFinished
  const status = isSocket ? 101 : isAborted && !reply.raw.headersSent ? clientClosed : reply.statusCode
  if (which === 'errors' && status < 400) return
  log.answered({
    method,
    url,
    status,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    bytes: bytesSent(request) - before,
    aborted: isAborted || undefined,
    user,
    address: addressOf(ip),
    request: id,
  })
}

/** Always an address, or `unknown`, such as on a Unix socket without a proxy. */
function addressOf(ip: string): string {
  return plainAddress(ip) || 'unknown'
}

/** The bytes sent on the connection of a request so far. Without a connection, as in some tests, 0. */
function bytesSent({ raw: { socket } }: FastifyRequest): number {
  return socket.bytesWritten ?? 0
}

const validId = /^[\w.:=-]{1,64}$/

/**
 * Returns a function that makes the id of a request. A trusted proxy may send its own id in `X-Request-Id`, so that the
 * lines in both logs can be compared. An id from other clients is ignored.
 */
export function requestIds(isTrustedProxy: (peer: string | undefined) => boolean) {
  return ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
    const given = headers['x-request-id']
    const isAccepted =
      typeof given === 'string' && validId.test(given) && isTrustedProxy(socket.remoteAddress)
    return isAccepted ? given : randomUUID()
  }
}

// No account has a longer name (`core/text/user-names.ts`).
const maxNameLength = 100

/**
 * Logs a refused password, also one that was not checked because of the limit on wrong passwords. Programs such as
 * fail2ban read these lines, so their text must not change. The address comes before the texts of the client. It is
 * always an address, or `unknown`.
 *
 * @returns the attempt; undefined: no password was refused
 */
export function logRefusedPassword(
  request: FastifyRequest,
  { code }: Problem,
  log: Pick<Log, 'warn'>,
): Attempt | undefined {
  const attempt = passwordCodes.has(code) ? attemptOf(request) : undefined
  if (!attempt) return undefined
  const { message, user } = attempt
  const address = addressOf(request.ip)
  log.warn(
    { address, ...(user !== undefined && { user: user.slice(0, maxNameLength) }), request: request.id },
    message,
  )
  return attempt
}

const passwordCodes = new Set<Problem['code']>([
  'auth.limited',
  'auth.wrong',
  'password.current',
  'share.password',
])

// The set-up needs a code from the log, which is a password too.
const signInUrls = ['/api/login', '/api/setup']

/** A request with a password. */
export interface Attempt {
  message: string
  /** For the audit log: a sign-in, a visit of a share, or a request that must be confirmed. */
  kind: 'login' | 'visit' | 'confirm'
  /** The name that was typed. */
  user?: string
}

/** The password that a request has; undefined: none, such as a visit of a share before the password is typed. */
function attemptOf({
  body,
  username,
  headers,
  routeOptions: { url = '' },
  server,
}: FastifyRequest): Attempt | undefined {
  if (url.startsWith('/api/public/')) {
    const isGiven = headers['x-share-password'] !== undefined
    return isGiven ? { message: 'failed share password', kind: 'visit' } : undefined
  }
  // The proof of the password that some requests of a signed-in user need.
  if (username !== undefined) return { message: 'failed sign-in', kind: 'confirm', user: username }
  // If a proxy signs users in, no password is checked.
  if (!signInUrls.includes(url) || server.services.authMethod !== 'json') return undefined
  const { username: typed } = (body ?? {}) as { username?: unknown }
  return { message: 'failed sign-in', kind: 'login', user: typeof typed === 'string' ? typed : '' }
}
