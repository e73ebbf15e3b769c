import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import { start } from '#src/testing/start.ts'
import { listen, until } from '#src/testing/wire.ts'

t.test('a response leaves nothing behind on its connection', async (t) => {
  const { app, root, login } = await start(t)
  writeFileSync(join(root, 'a.png'), asPng(plain(60, 40, [200, 30, 30])))
  writeFileSync(join(root, 'a.txt'), 'text')
  const port = await listen(app)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const headers = { 'x-auth': await login('admin') }
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => sockets.add(socket))
  const paths = [
    'preview/thumb/a.png',
    'metadata/',
    'metadata/a.png',
    'resources/a.txt?checksum=md5',
    'rights/',
  ]
  for (const path of [...paths, ...paths, ...paths]) {
    const status = await new Promise((resolve, reject) => {
      const outgoing = request({ port, path: `/api/${path}`, headers, agent }, (response) =>
        buffer(response).then(() => resolve(response.statusCode), reject),
      )
      outgoing.on('error', reject).end()
    })
    t.equal(status, 200, path)
  }
  // Responses arrive before the server has noticed that they are complete.
  await until(() => app.runningRequests.size === 0)
  t.equal(sockets.size, 1)
  for (const socket of sockets) t.ok(socket.listenerCount('close') < 6, 'few listeners')
})
