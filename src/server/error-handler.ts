import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { ProblemCode } from '#contract/problems.ts'
import type { Log } from '#src/core/log/log.ts'
import { entryOf } from '#src/core/lookup.ts'
import { plainAddress } from '#src/core/network.ts'
import { isConnectionClosed, Problem, problemOf } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'
import { commonHeaders } from './every-request.ts'
import { methodsAt } from './methods.ts'
import { recordRefusal } from './refusals.ts'
import { logRefusedPassword, logResponse, type RequestLogOptions } from './request-log.ts'

/** The only place where errors become responses (contract/README.md#errors, contract/README.md#status-codes). */
export function setErrorHandlers(app: App, log: Pick<Log, 'debug' | 'error' | 'warn'>): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const hasDisconnected = request.raw.socket.destroyed && isConnectionClosed(error)
    const problem = hasDisconnected ? undefined : refusalOf(error, request)
    // The user cannot repair a broken disk; the log gives the administrator the file and the system call.
    if (problem?.code === 'disk.failed')
      log.error({ err: problem.cause, request: request.id }, 'the disk returned an error')
    if (problem) {
      recordRefusal(request, problem, logRefusedPassword(request, problem, log)).catch((err: unknown) =>
        log.error({ err, request: request.id }, 'a refused request could not be recorded'),
      )
      return sendProblem(reply, problem)
    }
    if (request.raw.socket.destroyed) {
      // An error after the client has disconnected is not a fault, and the response is not read.
      log.debug({ err: error, request: request.id }, 'the client disconnected')
      return sendProblem(reply, new Problem('request.cut'))
    }
    log.error({ err: error, request: request.id }, 'a request failed')
    return sendProblem(reply, new Problem('server.failed'))
  })
}

/**
 * Returns the handler of URLs that the router cannot parse. Hooks do not run for them, so it also sets the headers and
 * logs the request.
 */
export function badUrlHandler(options: RequestLogOptions) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    reply.raw.once('close', () => logResponse(request, reply, { ...options, before: 0 }))
    reply.headers(commonHeaders(request, 'encrypted' in request.raw.socket))
    sendProblem(reply, refusalOf(error, request) ?? new Problem('server.failed'))
  }
}

/** Responds to an unknown endpoint: 405 with `Allow` when it exists with another method, else 404. */
export function sendUnknownEndpoint(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allow = methodsAt(request.url)
  if (allow.length === 0) return sendProblem(reply, new Problem('request.unknown'))
  return sendProblem(reply, new Problem('request.method', { allow: allow.join(', ') }))
}

// The Problem codes for errors of the framework.
const frameworkCodes: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.type',
  FST_ERR_BAD_URL: 'path.invalid',
}

function refusalOf(error: FastifyError, request: FastifyRequest): Problem | undefined {
  if (error instanceof Problem) return error
  const [validationError] = error.validation ?? []
  // An invalid id in a URL such as `/api/users/abc` makes it an unknown URL (contract/README.md#errors).
  if (validationError && error.validationContext === 'params' && validationError.instancePath === '/id')
    return new Problem('request.unknown')
  if (validationError) {
    const field = `${error.validationContext ?? 'body'}${validationError.instancePath.replaceAll('/', '.')}`
    return new Problem('request.invalid', { field, reason: validationError.message ?? 'is not valid' })
  }
  const code = entryOf(frameworkCodes, error.code ?? '')
  if (code) {
    const details = { limit: request.routeOptions.bodyLimit, reason: 'it is not percent-encoded UTF-8' }
    return new Problem(code, details, { cause: error })
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new Problem('request.invalid', { field: 'body', reason: 'cannot be read' }, { cause: error })
  }
  return problemOf(error, 'the resource')
}

/** Sends an error: RFC 9457 JSON to clients that prefer JSON, else `<code> <reason phrase> (<cause>)`. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, code, message, details } = problem
  const title = STATUS_CODES[status] ?? 'Error'
  reply.code(status).header('cache-control', 'no-store')
  // RFC 9470 §3: the session is valid, but this endpoint requires a newer sign-in.
  if (code === 'auth.proof') {
    const maxAge = Number(details.minutes) * 60
    reply.header('www-authenticate', `Bearer error="insufficient_user_authentication", max_age=${maxAge}`)
  }
  if (status === 405) reply.header('allow', otherMethodsAt(reply.request).join(', '))
  if (status === 429 || status === 503) reply.header('retry-after', String(details.seconds ?? 1))
  if (prefersJson(reply.request.headers.accept)) {
    const body = { status, title, code, detail: message, details }
    return reply.type('application/problem+json; charset=utf-8').send(JSON.stringify(body))
  }
  return reply.type('text/plain; charset=utf-8').send(`${status} ${title} (${message})\n`)
}

/**
 * The methods allowed at a URL that refuses the method of the request: all others that the contract has there. None
 * for an endpoint that is switched off (RFC 9110 §10.2.1: an empty field).
 */
function otherMethodsAt({ url, method }: FastifyRequest): string[] {
  return methodsAt(url).filter((one) => one !== method)
}

/** Whether JSON is preferred (RFC 9110 §12.5.1). Of types with equal weight the first wins. */
function prefersJson(accept = ''): boolean {
  let best = { weight: 0, isJson: false }
  for (const one of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = one.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    const weight = quality ? Number(quality.slice(2)) : 1
    const isJson = type === 'application/json' || type === 'application/problem+json'
    if (weight > best.weight) best = { weight, isJson }
  }
  return best.isJson
}

/**
 * Returns the handler of data that is not HTTP, or comes too slowly. It responds and closes the connection: nothing
 * after it could be parsed.
 */
export function clientErrorHandler(log: Pick<Log, 'info'>) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (socket.writable && error.code !== 'ECONNRESET') {
      const status = entryOf(brokenStatus, error.code ?? '') ?? 400
      log.info(
        { status, reason: error.code, address: plainAddress(socket.remoteAddress) },
        'refused a connection',
      )
      const body = `${status} ${STATUS_CODES[status]}\n`
      socket.write(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
          'X-Content-Type-Options: nosniff\r\n' +
          `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    }
    socket.destroy()
  }
}

const brokenStatus: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}
