import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressedBody } from './compression/compressed-body.ts'
import { abortReply, hijackReply } from './hijack.ts'
import { extendIdleTimeout } from './limits/idle-timeout.ts'
import { abortWhenRevoked } from './limits/revocation.ts'

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
