import { promisify } from 'node:util'
import { brotliCompress, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, codingOptions, minCompressedBytes } from '#src/core/zlib/content-coding.ts'
import { acceptedCodings } from './accepted-codings.ts'

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
