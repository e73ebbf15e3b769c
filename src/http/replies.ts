import { once } from 'node:events'
import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isConnectionClosed } from '#src/core/problem.ts'
import type { Coding } from '#src/core/zlib/content-coding.ts'
import { compressedBody } from './compression.ts'
import { abortWhenRevoked, extendIdleTimeout } from './limits.ts'

/** Sends a response without content for a completed request: `200 OK` and a newline (contract/README.md#errors). */
export function sendOk(reply: FastifyReply): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(`200 ${STATUS_CODES[200]}\n`)
}

/** Sends `201 Created` and a newline, with the URL of the new page (contract/README.md#status-codes). */
export function sendCreated(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(201).header('location', location).type('text/plain; charset=utf-8').send('201 Created\n')
}

/** Sends `202 Accepted` with a body in JSON: what was sent has arrived, and is not done yet. */
export function sendAccepted(reply: FastifyReply, body: object): FastifyReply {
  return reply.code(202).send(body)
}

/** Sends plain text, such as a token. */
export function sendText(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(body)
}

/** The header `Content-Disposition` for a download as `name` (RFC 6266, the name encoded as in RFC 8187). */
export function attachment(name: string): string {
  return `attachment; ${names(name)}`
}

/** The header `Content-Disposition` for display in the browser. `name` is used if the user saves the file. */
export function inline(name: string): string {
  return `inline; ${names(name)}`
}

/** RFC 6266 §4.3: clients that know `filename*` prefer it. Programs that do not know it get the first one. */
function names(name: string): string {
  return `filename="${ascii(name)}"; filename*=utf-8''${encoded(name)}`
}

/**
 * The name in ASCII. Letters lose their accents. `_` stands for other characters, and for those that clients read in
 * different ways (RFC 6266, appendix D).
 */
function ascii(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.replace(/[^ -~]|["\\%/]/gu, '_')
}

/** RFC 8187 §3.2.1: `encodeURIComponent` does not encode four characters that are not attr-char. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

/**
 * Takes control of a response from the framework: sends the status and the headers, with those set by hooks. The caller
 * writes and ends the body.
 */
export function hijackReply(reply: FastifyReply): ServerResponse {
  reply.hijack()
  return reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
}

/**
 * Ends a response that failed after its status was sent. The connection is aborted, because otherwise the client would
 * take a part for the whole. Logs the error, unless the client has disconnected, which is no fault.
 *
 * @param failure.signal aborts when the connection is closed; not needed for a body that is sent in one piece
 */
export function abortReply(
  request: FastifyRequest,
  out: ServerResponse,
  { error, signal, message }: { error: unknown; signal?: AbortSignal; message: string },
): void {
  const hasDisconnected = signal?.aborted || request.raw.socket.destroyed || isConnectionClosed(error)
  out.destroy()
  if (!hasDisconnected) request.log.warn({ err: error, request: request.id }, message)
}

/** A body, or a part of it. Compressed if it has a coding. */
interface Part {
  body: Buffer | string
  coding?: Coding
}

/** A JSON response whose beginning may be sent before the rest exists. */
export interface EarlyReply {
  /** Sends the status, the headers and the beginning. */
  start(beginning: Part): void
  /** Sends the rest, or all of it if there was no beginning. */
  end(rest: Part): FastifyReply
  /** Aborts a response that has begun, and returns undefined. Throws any other error again. */
  fail(error: unknown): undefined
}

/** Prepares a response in JSON that is sent in two parts if the first is there early. */
export function createEarlyReply(request: FastifyRequest, reply: FastifyReply): EarlyReply {
  const describe = ({ coding }: Part) => {
    if (coding) reply.header('content-encoding', coding)
    // Caches may keep an answer in spite of `no-store`: for clients with the same codings only (RFC 9110 §12.5.5).
    return reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding')
  }
  const closed = new AbortController()
  let out: ServerResponse | undefined
  return {
    start(beginning) {
      reply.raw.once('close', () => closed.abort())
      out = hijackReply(describe(beginning))
      out.write(beginning.body)
    },
    end(rest) {
      if (!out) return describe(rest).send(rest.body)
      if (!out.destroyed) out.end(rest.body)
      return reply
    },
    fail(error) {
      if (!out) throw error
      abortReply(request, out, { error, signal: closed.signal, message: 'a listing was interrupted' })
      return undefined
    },
  }
}

/**
 * Streams a list while its entries are found: as one JSON array, or as one object per line if the client requests
 * `application/x-ndjson`. Waits while the client is slow, and stops when it disconnects.
 *
 * @param begin starts the list. Errors must be thrown here, before the first byte. Its batches are JSON texts.
 * @param how.readsLines whether the client gets lines without requesting them
 * @param how.isCompressed whether the list is compressed if the client accepts it; only for lists without a secret
 */
export async function streamJsonList(
  request: FastifyRequest,
  reply: FastifyReply,
  begin: (signal: AbortSignal) => Promise<AsyncIterable<string[]>>,
  { readsLines = false, isCompressed = false } = {},
): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  reply.raw.once('close', () => controller.abort())
  extendIdleTimeout(reply)
  const batches = await begin(signal)
  const isLines = readsLines || (request.headers.accept?.includes('application/x-ndjson') ?? false)
  reply.header('content-type', isLines ? 'application/x-ndjson' : 'application/json; charset=utf-8')
  const compressed = isCompressed ? compressedBody(request, reply) : undefined
  const out = hijackReply(reply)
  const body = compressed ?? out
  abortWhenRevoked(out, () => request.actor().hasAccess())
  try {
    for await (const text of isLines ? lines(batches) : array(batches)) {
      if (!body.write(text)) await once(body, 'drain', { signal })
    }
    body.end()
  } catch (error) {
    abortReply(request, out, { error, signal, message: 'a list was interrupted' })
  }
}

async function* lines(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield `${batch.join('\n')}\n`
}

async function* array(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  let separator = '['
  for await (const batch of batches) {
    yield separator + batch.join(',')
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}
