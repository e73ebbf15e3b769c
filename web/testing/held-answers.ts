import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** An answer of which the client has received the beginning. */
export interface HeldAnswer {
  /** Passes on the rest. */
  release(): void
  /** Closes the connection instead. */
  cut(): void
}

/**
 * Starts a proxy in front of the server at `url`. It holds each answer to a request for `path` after its first
 * `most` bytes.
 */
export async function holdAnswers(t: Test, url: string, { path, most }: { path: string; most: number }) {
  const held: HeldAnswer[] = []
  const waiting: (() => void)[] = []
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url: at = '/' } = incoming
    const onward = request(new URL(at, url), { method: method ?? 'GET', headers }, async (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      if (at !== path) return void answer.pipe(outgoing)
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part as Buffer)
      const body = Buffer.concat(parts)
      outgoing.write(body.subarray(0, most))
      held.push({ release: () => void outgoing.end(body.subarray(most)), cut: () => void outgoing.destroy() })
      for (const resolve of waiting.splice(0)) resolve()
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Waits for the next held answer. */
    async next(): Promise<HeldAnswer> {
      for (;;) {
        const first = held.shift()
        if (first) return first
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
  }
}
