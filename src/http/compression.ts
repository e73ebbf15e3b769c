import type { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, codingOptions, minCompressedBytes } from '#src/core/zlib/content-coding.ts'
import { acceptedCodings } from './request-headers.ts'

const [toBrotli, toZstd, toGzip] = [promisify(brotliCompress), promisify(zstdCompress), promisify(gzip)]

/** Each works in the thread pool of Node. */
const compressors: Record<Coding, (text: string) => Promise<Buffer>> = {
  br: (text) => toBrotli(text, codingOptions.br),
  zstd: (text) => toZstd(text, codingOptions.zstd),
  gzip: (text) => toGzip(text, codingOptions.gzip),
}

/**
 * A hook for the routes of answers that may be large: compresses the answer if the client accepts it, unless it is small
 * or too many answers are being compressed. Only for answers that hold no secret beside what a stranger controls, because
 * the size of a compressed answer tells something about the secret (BREACH, CVE-2013-3587).
 */
export async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  reply.header('vary', 'accept-encoding')
  if (typeof payload !== 'string' || payload.length <= minCompressedBytes) return payload
  const [coding] = acceptedCodings(request.headers['accept-encoding'])
  if (!coding || reply.statusCode !== 200) return payload
  const { compressedAnswers } = request.server.services.limits
  using permit = compressedAnswers.tryAcquire(String(request.actor().user.id))
  if (!permit) return payload
  const body = await compressors[coding](payload)
  reply.header('content-encoding', coding)
  return body
}

/** Each flushes what was written to it at once. They work in the thread pool of Node. */
const streams: Record<Coding, () => Transform> = {
  br: () => createBrotliCompress({ ...codingOptions.br, flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdCompress({ ...codingOptions.zstd, flush: constants.ZSTD_e_flush }),
  gzip: () => createGzip({ ...codingOptions.gzip, flush: constants.Z_SYNC_FLUSH }),
}

/**
 * Returns a stream that sends what is written to it as the compressed body of a response. Each text is sent at once, so
 * short answers are compressed, too: their first result must not wait for the others. Sets the headers, so it is called
 * before they are sent.
 *
 * Undefined: the client does not accept compression, or too many answers are being compressed.
 */
export function compressedBody(request: FastifyRequest, reply: FastifyReply): Writable | undefined {
  reply.header('vary', 'accept-encoding')
  const out = reply.raw
  const [coding] = acceptedCodings(request.headers['accept-encoding'])
  if (!coding || out.destroyed) return undefined
  const { compressedAnswers } = request.server.services.limits
  const permit = compressedAnswers.tryAcquire(String(request.actor().user.id))
  if (!permit) return undefined
  out.once('close', () => permit[Symbol.dispose]())
  reply.header('content-encoding', coding)
  const compressor = streams[coding]()
  // It fails only when the response is aborted, which the writer notices as well.
  pipeline(compressor, out).catch(() => undefined)
  return compressor
}
