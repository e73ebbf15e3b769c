import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { beginReply } from './hijack.ts'
import { allowSlowWork } from './limits/idle-timeout.ts'
import { abortWhenRevoked } from './limits/revocation.ts'

/**
 * Sends a list while it is found: as one JSON array, or one object a line when the client asks for
 * `application/x-ndjson`. Takes no more than the client does, and stops when it leaves.
 *
 * @param begin opens the list; refusals belong here, before the first byte. Its batches are JSON texts
 * @param readsLines whether the client reads lines without asking for them
 */
export async function streamJson(
  request: FastifyRequest,
  reply: FastifyReply,
  begin: (signal: AbortSignal) => Promise<AsyncIterable<string[]>>,
  readsLines = false,
): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  reply.raw.once('close', () => controller.abort())
  allowSlowWork(reply)
  const batches = await begin(signal)
  const isLines = readsLines || (request.headers.accept?.includes('application/x-ndjson') ?? false)
  reply.header('content-type', isLines ? 'application/x-ndjson' : 'application/json; charset=utf-8')
  const out = beginReply(reply)
  abortWhenRevoked(out, () => request.actor().stands())
  try {
    for await (const text of isLines ? lines(batches) : array(batches)) {
      if (!out.write(text)) await once(out, 'drain', { signal })
    }
    out.end()
  } catch (error) {
    // The status is sent: breaking off is the only way to say that this is not all.
    out.destroy()
    if (!signal.aborted) request.log.warn({ err: error }, 'a list broke off')
  }
}

async function* lines(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield `${batch.join('\n')}\n`
}

async function* array(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  let before = '['
  for await (const batch of batches) {
    yield before + batch.join(',')
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
