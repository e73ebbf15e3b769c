import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, signIn, start } from '#web/testing/browser.ts'
import { startNginx } from '#web/testing/proxy.ts'
import { chooseFiles, limitPieces, uploadsDone } from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const mega = 1024 * 1024

t.test('uploads work behind a proxy with a body limit of 1 MiB', async (t) => {
  const { page, root, address: server } = await start(t, {})
  const address = await startNginx(t, server)
  if (!address) {
    t.pass('nginx', { skip: 'it is not installed' })
    return
  }
  await signIn(page, address)
  const refused: string[] = []
  page.on('response', (reply) => {
    if (reply.status() === 413) refused.push(path.basename(new URL(reply.url()).pathname))
  })
  const upload = async (name: string, size: number) => {
    const source = path.join(path.dirname(root), name)
    const content = randomBytes(size)
    await writeFile(source, content)
    await chooseFiles(page, 'Upload files', source)
    const target = path.join(root, name)
    await until(() => existsSync(target))
    t.ok(readFileSync(target).equals(content), name)
  }
  await upload('medium.bin', 3 * mega)
  // The proxy refuses the first request. The browser may report it late.
  await until(() => refused.length > 0)
  await upload('large.bin', 5 * mega)
  await upload('small.bin', 10)
  t.same([...new Set(refused)], ['medium.bin'], 'the page keeps the smaller piece size')
})

t.test('an upload is refused if a proxy accepts less than 256 KiB', async (t) => {
  const { page, root, address: server } = await start(t, {})
  const address = await startNginx(t, server, 'client_max_body_size 100k;')
  if (!address) {
    t.pass('nginx', { skip: 'it is not installed' })
    return
  }
  await signIn(page, address)
  const source = path.join(path.dirname(root), 'a.bin')
  await writeFile(source, randomBytes(mega))
  await chooseFiles(page, 'Upload files', source)
  await page.getByRole('button', { name: 'Try a.bin again' }).waitFor()
  t.notOk(existsSync(path.join(root, 'a.bin')))
})

/** Starts a proxy that stores each body, and gives up with those of more than `most` bytes. Returns its address. */
async function startStoringProxy(t: Test, server: string, most: number) {
  const refused: number[] = []
  const proxy = createServer(async (incoming, reply) => {
    const body = await buffer(incoming)
    if (body.length > most) {
      refused.push(body.length)
      return reply.writeHead(524).end('a timeout occurred')
    }
    const { url = '/', method = 'GET', headers } = incoming
    const passed = request(new URL(url, server), { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    passed.on('error', () => reply.destroy())
    reply.on('close', () => passed.destroy())
    return passed.end(body)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, refused }
}

t.test(
  'behind a proxy that stores bodies and loses long ones, pieces become shorter and stay so',
  async (t) => {
    const { page, root, address: server } = await start(t, { 'a.txt': '' })
    await limitPieces(page, mega)
    const { address, refused } = await startStoringProxy(t, server, 600 * 1024)
    await signIn(page, address)
    const upload = async (name: string) => {
      const source = path.join(path.dirname(root), name)
      const content = randomBytes(2 * mega)
      await writeFile(source, content)
      await itemNamed(page, 'a.txt').waitFor()
      await chooseFiles(page, 'Upload files', source)
      await uploadsDone(page, '1 file uploaded')
      t.ok(readFileSync(path.join(root, name)).equals(content), name)
    }
    await upload('one.bin')
    t.same(refused, [mega])
    await page.reload()
    await upload('two.bin')
    t.same(refused, [mega])
  },
)
