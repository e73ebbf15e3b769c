import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, signIn, start } from '#web/testing/browser.ts'
import { startNginx } from '#web/testing/proxy.ts'
import { chooseFiles } from '#web/testing/uploads.ts'

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
