import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { paced } from './paced.ts'

t.test(
  'bytes are sent in parts, each when the rate allows it, and a transfer that is aborted ends',
  async (t) => {
    const parts: number[] = []
    const controller = new AbortController()
    const pace = async (bytes: number, signal?: AbortSignal) => {
      signal?.throwIfAborted()
      parts.push(bytes)
    }
    let failure: unknown
    const server = createServer(async (_request, reply) => {
      const out = paced(reply, pace, controller.signal)
      const write = (size: number) =>
        new Promise<void>((done, fail) =>
          out.write(Buffer.alloc(size, 'x'), (error) => (error ? fail(error) : done())),
        )
      out.on('error', () => {})
      await write(150_000)
      controller.abort(new Error('gone'))
      failure = await write(10).catch((error: unknown) => error)
      reply.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    t.equal((await reply.text()).length, 150_000)
    t.strictSame(parts, [65_536, 65_536, 18_928])
    t.match(failure, { message: 'gone' })
  },
)
