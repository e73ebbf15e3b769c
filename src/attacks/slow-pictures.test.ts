import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { hostileJpegs } from '#src/testing/hostile-pictures.ts'
import { asJpeg, plain } from '#src/testing/pictures.ts'
import { until } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'

const { ask, row, root, base, token, port } = await openTarget(t, {
  config: { requestRate: 10_000, userRate: 10_000 },
})
const honest = await asJpeg(plain(64, 48, [200, 30, 30]))
const { 'scans.jpg': slow = honest } = hostileJpegs(honest)

const put = (files: Record<string, Buffer>) => {
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(root, 'alice', name), bytes)
}
const thumb = (name: string) => `/api/preview/thumb/${name}`

/** The content of the preview cache: the first bytes of each file. */
function cached(): string[] {
  const cache = join(base, 'state.d/cache')
  if (!existsSync(cache)) return []
  const files = (readdirSync(cache, { recursive: true }) as string[]).map((name) => join(cache, name))
  return files
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file).toString('latin1', 0, 12))
}

row(
  'a picture that takes too long is aborted, cached as a failure, and tried again when it changes',
  async (t) => {
    put({ 'e.jpg': slow })
    isRefused(t, await ask('alice', 'GET', thumb('e.jpg')), [413])
    t.strictSame(cached(), ['!slow'])
    // Repeated requests cost nothing more: a thread would need 1.5 s for each.
    for (let n = 0; n < 200; n++) isRefused(t, await ask('alice', 'GET', thumb('e.jpg')), [413])
    put({ 'e.jpg': honest })
    t.equal((await ask('alice', 'GET', thumb('e.jpg'))).status, 200)
  },
)

row('a user with many slow pictures does not block other users, and leaving aborts the rest', async (t) => {
  const bobsPicture = join(root, 'bob/mine.jpg')
  writeFileSync(bobsPicture, honest)
  const names = Array.from({ length: 30 }, (_, n) => `s${n}.jpg`)
  put(Object.fromEntries(names.map((name) => [name, slow])))
  await token('bob')
  const headers = { 'X-Auth': await token('alice') }
  const before = cached().length
  let answered = 0
  const requests = names.map((name) => {
    const one = request({ port, path: thumb(name), headers, agent: false })
    one.on('error', () => undefined) // destroyed below
    void once(one, 'response').then(
      ([response]) => void text(response as IncomingMessage).then(() => answered++),
      () => undefined,
    )
    one.end()
    return one
  })
  await until(() => cached().length > before)
  t.equal((await ask('bob', 'GET', thumb('mine.jpg'))).status, 200)
  t.ok(answered < 15, `bob is served after ${answered} of 30`)
  rmSync(bobsPicture)
  for (const one of requests) one.destroy()
  // A started picture is finished. The other requests are cancelled, so the next picture is made at once.
  put({ 'next.jpg': honest })
  t.equal((await ask('alice', 'GET', thumb('next.jpg'))).status, 200)
  t.ok(cached().length - before < 20, `${cached().length - before} were made or refused`)
})
