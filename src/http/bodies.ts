import type { IncomingMessage, ServerResponse } from 'node:http'
import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { Problem } from '#src/core/problem.ts'
import type { App } from './at.ts'

// A refused upload is read on for this long, so that the browser gets to see why before the connection is cut.
const drainMs = 10_000

// A form, and a piece of an upload (reference 13.2), are what they are called.
const asItSays = /^\s*(multipart\/form-data|application\/offset\+octet-stream)/i

/**
 * How bodies are read: a call whose body is the bytes of a file gets the stream untouched; every other body is JSON
 * whatever it calls itself, because classic clients send JSON as `text/plain`, and has to be here within `withinMs`.
 */
export async function readBodies(app: App, withinMs: number): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(multipart)
  // The framework refuses a type that it cannot read, such as `binary`; ours is told by the call alone (reference 3.4).
  app.addHook('onRequest', async ({ headers }) => {
    const type = headers['content-type']
    if (type && !asItSays.test(type)) headers['content-type'] = 'application/octet-stream'
  })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('*', (request, payload, done) => {
    const { endpoint } = request.routeOptions.config
    // Nor is a body read for a call that does not exist: the refusal is all there is to say.
    if (!endpoint || endpoint.bytes) return done(null, payload)
    const limit = request.routeOptions.bodyLimit
    // Announced as too large, it is refused before anything of it travels.
    if (Number(request.headers['content-length']) > limit)
      return done(new Problem('request.large', { limit }))
    inTime(collect(payload, limit), withinMs)
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
    if (isPlain(request)) return done(null, payload)
    reply.header('accept-encoding', 'identity')
    done(new Problem('request.type'))
  })
  app.addHook('onResponse', async (request) => cutUnread(request))
  app.server.on('checkContinue', (request: IncomingMessage, reply: ServerResponse) => {
    inviteWhenRead(request, reply)
    app.server.emit('request', request, reply)
  })
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

/** @throws Problem `request.slow` when the body has not come by then; the answer ends its connection. */
async function inTime(body: Promise<string>, withinMs: number): Promise<string> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Problem('request.slow')), withinMs)
  body.catch(() => {}) // after the time is over nobody waits for it
  return Promise.race([body, promise]).finally(() => clearTimeout(timer))
}

async function collect(stream: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > limit) throw new Problem('request.large', { limit })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function cutUnread({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), drainMs)
  timer.unref()
  raw.once('end', () => clearTimeout(timer))
}
