import type { IncomingMessage, ServerResponse } from 'node:http'
import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { bodySizes, type Endpoint } from '#contract/endpoint.ts'
import type { Actor } from '#src/auth/actor.ts'
import type { Limits } from '#src/config/config.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'
import { bearerToken } from '#src/http/bearer-token.ts'
import { type BodyRoom, createBodyRoom } from './body-room.ts'
import { collect } from './collect.ts'

// A refused upload is read on for this long, so that the browser gets to see why before the connection is cut.
const drainMs = 10_000

// A form, and a piece of an upload (contract/compatibility.md#uploads-in-pieces), are what they are called.
const asItSays = /^\s*(multipart\/form-data|application\/offset\+octet-stream)/i

const mebibyte = 1024 * 1024
// A body before signing in, and all of those that have not come whole: of one network, and together.
const mostOfStrangers = bodySizes.small
const roomOfStrangers = { each: 4 * mebibyte, all: 16 * mebibyte }

/**
 * How bodies are read: a call whose body is the bytes of a file gets the stream untouched; every other body is JSON
 * whatever it calls itself, because classic clients send JSON as `text/plain`, and has to be here within
 * `requestTimeoutMs`. All bodies that are still coming share a room of memory, senders who are not signed in one of theirs.
 */
export async function addBodyParsers(
  app: App,
  limits: Pick<Limits, 'maxBody' | 'requestTimeoutMs'>,
): Promise<void> {
  const rooms = roomsFor(limits.maxBody)
  app.removeAllContentTypeParsers()
  await app.register(multipart)
  // The framework refuses a type that it cannot read, such as `binary`; ours is told by the call alone (contract/compatibility.md#writing-files).
  app.addHook('onRequest', async ({ headers }) => {
    const type = headers['content-type']
    if (type && !asItSays.test(type)) headers['content-type'] = 'application/octet-stream'
  })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('*', (request, payload, done) => {
    const { endpoint } = request.routeOptions.config
    // Nor is a body read for a call that does not exist: the refusal is all there is to say.
    if (!endpoint || endpoint.bytes) return done(null, payload)
    if (!endpoint.body) return done(null, undefined)
    const { limit, room, who } = termsOf(request, endpoint, rooms)
    // Announced as too large, it is refused before anything of it travels.
    if (Number(request.headers['content-length']) > limit)
      return done(new Problem('request.large', { limit }))
    collect(payload, { limit, withinMs: limits.requestTimeoutMs, room, who })
      .then((text) => {
        if (text === '') return done(null, undefined)
        return parseJson(request, text, (error, body) =>
          error && endpoint.anyBody ? done(null, undefined) : done(error, body),
        )
      })
      .catch((error: Error) => done(error))
    return undefined
  })
  // After the question who asks, which is a hook of an earlier kind, and before anything of the body is read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!isPlain(request)) {
      reply.header('accept-encoding', 'identity')
      return done(new Problem('request.type'))
    }
    throwAway(request)
    done(null, payload)
  })
  app.addHook('onResponse', async (request) => cutUnread(request))
  app.server.on('checkContinue', (request: IncomingMessage, reply: ServerResponse) => {
    inviteWhenRead(request, reply)
    app.server.emit('request', request, reply)
  })
}

interface Rooms {
  strangers: BodyRoom
  users: BodyRoom
  maxBody: number
}

function roomsFor(maxBody: number): Rooms {
  return {
    strangers: createBodyRoom(roomOfStrangers),
    // Where bodies may be larger than that, there is room for one.
    users: createBodyRoom({ each: Math.max(8 * mebibyte, maxBody), all: Math.max(16 * mebibyte, maxBody) }),
    maxBody,
  }
}

/** How large a body may be, and in whose share it is counted while it comes. */
function termsOf(request: FastifyRequest, { access, mostBody = mostOfStrangers }: Endpoint, rooms: Rooms) {
  const actor = access === 'public' ? signedIn(request) : request.actor()
  const own = Math.min(mostBody, rooms.maxBody)
  if (actor) return { limit: own, room: rooms.users, who: actor.payer.key }
  return {
    limit: Math.min(own, mostOfStrangers),
    room: rooms.strangers,
    who: `network ${networkOf(request.ip ?? '')}`,
  }
}

/** Somebody who is signed in and makes a call that needs no sign-in. */
function signedIn(request: FastifyRequest): Actor | undefined {
  const token = bearerToken(request)
  return token ? request.server.services.auth.byToken(token) : undefined
}

/** Throws a body away as it comes when nobody will read it: otherwise its first megabyte would wait in memory. */
function throwAway({ raw, routeOptions, headers }: FastifyRequest): void {
  const { endpoint } = routeOptions.config
  const isForm = /^\s*multipart\//i.test(headers['content-type'] ?? '')
  const isRead = endpoint?.bytes || (endpoint?.body && !isForm)
  // A body that has not been invited does not come.
  if (!isRead && !headers.expect) raw.resume()
}

/**
 * Whether a body comes as it is. Packed, it would be kept packed: nothing here unpacks what a stranger packed, because
 * little of it can be much (RFC 9110 §8.4 and §15.5.16, RFC 9112 §6.1).
 */
function isPlain({ headers }: FastifyRequest): boolean {
  const { 'content-encoding': encoding = '', 'transfer-encoding': transfer = '' } = headers
  return /^(identity|[\s,])*$/i.test(encoding) && /^(chunked)?$/i.test(transfer)
}

/**
 * RFC 9110 §10.1.1: who asks before sending a body is told to go on when somebody begins to read it, so that the body of
 * a refused upload never travels.
 */
function inviteWhenRead(request: IncomingMessage, reply: ServerResponse): void {
  const read = request._read
  request._read = (size) => {
    request._read = read
    if (!reply.headersSent) reply.writeContinue()
    read.call(request, size)
  }
}

function cutUnread({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), drainMs)
  timer.unref()
  raw.once('end', () => clearTimeout(timer))
}
