import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { ProblemCode } from '#contract/problems.ts'
import { problemOf } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import type { App } from './at.ts'
import { methodsAt } from './methods.ts'

/** The only place where failures become answers (contract W2, W3). */
export function handleFailures(app: App): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = refusalOf(error, request)
    if (problem) return refuse(reply, problem)
    request.log.error({ err: error }, 'a request failed')
    return refuse(reply, new Problem('server.failed'))
  })
}

/** Answers an unknown call: 405 with `Allow` when another method is known there, else 404. */
export function refuseUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allow = methodsAt(request.url)
  if (allow.length === 0) return refuse(reply, new Problem('request.unknown'))
  return refuse(
    reply.header('allow', allow.join(', ')),
    new Problem('request.method', { allow: allow.join(', ') }),
  )
}

// What the framework itself refuses, in our words.
const foreign: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.type',
  FST_ERR_BAD_URL: 'path.invalid',
}

function refusalOf(error: FastifyError, request: FastifyRequest): Problem | undefined {
  if (error instanceof Problem) return error
  const [fault] = error.validation ?? []
  if (fault) {
    const field = `${error.validationContext ?? 'body'}${fault.instancePath.replaceAll('/', '.')}`
    return new Problem('request.invalid', { field, reason: fault.message ?? 'is not valid' })
  }
  const code = foreign[error.code]
  if (code) {
    const details = { limit: request.routeOptions.bodyLimit, reason: 'it is not percent-encoded UTF-8' }
    return new Problem(code, details, { cause: error })
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new Problem('request.invalid', { field: 'body', reason: 'cannot be read' }, { cause: error })
  }
  return problemOf(error, 'the resource')
}

/** Sends a refusal: RFC 9457 JSON to those who prefer JSON, else `<code> <reason phrase> (<cause>)`. */
export function refuse(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, code, message, details } = problem
  const title = STATUS_CODES[status] ?? 'Error'
  reply.code(status).header('cache-control', 'no-store')
  if (status === 429) reply.header('retry-after', String(details.seconds ?? 1))
  if (prefersJson(reply.request.headers.accept)) {
    const body = { status, title, code, detail: message, details }
    return reply.type('application/problem+json; charset=utf-8').send(JSON.stringify(body))
  }
  return reply.type('text/plain; charset=utf-8').send(`${status} ${title} (${message})\n`)
}

function prefersJson(accept = ''): boolean {
  const first = accept.split(',')[0]?.split(';')[0]?.trim()
  return first === 'application/json' || first === 'application/problem+json'
}
