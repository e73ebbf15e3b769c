import type { IncomingMessage, ServerResponse } from 'node:http'
import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { bodySizes, type Endpoint } from '#contract/schema/endpoint.ts'
import type { Actor } from '#src/access/principal.ts'
import type { Limits } from '#src/config/config.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'
import { bearerToken } from '#src/http/request-headers.ts'
import { type BodyMemory, createBodyMemory } from './body-room.ts'
import { readBody } from './collect.ts'

// The rest of a refused upload is read for this long, so that the browser sees the error before the connection closes.
const drainMs = 10_000

// Content types that are used as sent: forms, and chunks of an upload (contract/compatibility.md#uploads-in-pieces).
const keptTypes = /^\s*(multipart\/form-data|application\/offset\+octet-stream)/i

const mebibyte = 1024 * 1024
// The limit for a body before sign-in, and for the memory of such incomplete bodies: of one network, and of all.
const anonymousBodyBytes = bodySizes.small
const anonymousMemory = { each: 4 * mebibyte, all: 16 * mebibyte }

/**
 * Configures how bodies are parsed. An endpoint whose body is the content of a file gets the stream. Every other body
 * is parsed as JSON, whatever its content type, because old clients send JSON as `text/plain`; it must arrive within
 * `requestTimeoutMs`. All incomplete bodies share a memory limit; those of clients that are not signed in have their
 * own.
 */
export async function addBodyParsers(
  app: App,
  limits: Pick<Limits, 'maxBody' | 'requestTimeoutMs'>,
): Promise<void> {
  const budgets = createBudgets(limits.maxBody)
  app.removeAllContentTypeParsers()
  await app.register(multipart)
  // The framework refuses types that it cannot parse, such as `binary`. Here only the endpoint decides how a body is
  // parsed (contract/compatibility.md#writing-files).
  app.addHook('onRequest', ({ headers }, _reply, next) => {
    const type = headers['content-type']
    if (type && !keptTypes.test(type)) headers['content-type'] = 'application/octet-stream'
    next()
  })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('*', (request, payload, done) => {
    const { endpoint } = request.routeOptions.config
    // The body of a request for an unknown endpoint is not parsed: the response is an error anyway.
    if (!endpoint || endpoint.hasRawBody) return done(null, payload)
    if (!endpoint.body) return done(null, undefined)
    const { limit, room, who } = limitsOf(request, endpoint, budgets)
    // A body that is announced as too large is refused before it is sent.
    if (Number(request.headers['content-length']) > limit)
      return done(new Problem('request.large', { limit }))
    readBody(payload, { limit, withinMs: limits.requestTimeoutMs, memory: room, sender: who })
      .then((text) => {
        if (text === '') return done(null, undefined)
        return parseJson(request, text, (error, body) =>
          error && endpoint.allowsInvalidBody ? done(null, undefined) : done(error, body),
        )
      })
      .catch((error: Error) => done(error))
    return undefined
  })
  // Runs after authentication, which is in an earlier hook, and before anything of the body is read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!isUncompressed(request)) {
      reply.header('accept-encoding', 'identity')
      return done(new Problem('request.type'))
    }
    discard(request)
    done(null, payload)
  })
  app.addHook('onResponse', (request, _reply, next) => {
    closeUnread(request)
    next()
  })
  app.server.on('checkContinue', (request: IncomingMessage, reply: ServerResponse) => {
    continueWhenRead(request, reply)
    app.server.emit('request', request, reply)
  })
}

interface Budgets {
  strangers: BodyMemory
  users: BodyMemory
  maxBody: number
}

function createBudgets(maxBody: number): Budgets {
  return {
    strangers: createBodyMemory(anonymousMemory),
    // If the limit for a body is larger, there is memory for one such body.
    users: createBodyMemory({ each: Math.max(8 * mebibyte, maxBody), all: Math.max(16 * mebibyte, maxBody) }),
    maxBody,
  }
}

/** The size limit of a body, and the account on which it is counted while it is received. */
function limitsOf(
  request: FastifyRequest,
  { access, maxBodyBytes: mostBody = anonymousBodyBytes }: Endpoint,
  budgets: Budgets,
) {
  const actor = access === 'public' ? optionalActor(request) : request.actor()
  const own = Math.min(mostBody, budgets.maxBody)
  if (actor) return { limit: own, room: budgets.users, who: actor.quotaOwner.key }
  return {
    limit: Math.min(own, anonymousBodyBytes),
    room: budgets.strangers,
    who: `network ${networkOf(request.ip ?? '')}`,
  }
}

/** The user if the client is signed in and calls a public endpoint. */
function optionalActor(request: FastifyRequest): Actor | undefined {
  const token = bearerToken(request)
  return token ? request.server.services.auth.findByToken(token) : undefined
}

/** Discards a body that no handler will read while it arrives. Otherwise its first megabyte would stay in memory. */
function discard({ raw, routeOptions, headers }: FastifyRequest): void {
  const { endpoint } = routeOptions.config
  const isForm = /^\s*multipart\//i.test(headers['content-type'] ?? '')
  const isRead = endpoint?.hasRawBody || (endpoint?.body && !isForm)
  // With `Expect: 100-continue`, the body is not sent before the server asks for it.
  if (!isRead && !headers.expect) raw.resume()
}

/**
 * Whether a body is not compressed. Compressed bodies are refused, because a small one can be decompressed to a very
 * large one (RFC 9110 §8.4 and §15.5.16, RFC 9112 §6.1).
 */
function isUncompressed({ headers }: FastifyRequest): boolean {
  const { 'content-encoding': encoding = '', 'transfer-encoding': transfer = '' } = headers
  return /^(identity|[\s,])*$/i.test(encoding) && /^(chunked)?$/i.test(transfer)
}

/**
 * Sends 100 Continue only when the body is first read, so that the body of a refused upload is never sent
 * (RFC 9110 §10.1.1).
 */
function continueWhenRead(request: IncomingMessage, reply: ServerResponse): void {
  const read = request._read
  request._read = (size) => {
    request._read = read
    if (!reply.headersSent) reply.writeContinue()
    read.call(request, size)
  }
}

function closeUnread({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), drainMs)
  timer.unref()
  raw.once('end', () => clearTimeout(timer))
}
