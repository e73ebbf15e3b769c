import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, openPage, start, testUser } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/** The library in the pages of File Browser since 2.24, unmodified. It sends no id. */
const folder = path.dirname(createRequire(import.meta.url).resolve('tus-js-client/package.json'))
const library = readFileSync(path.join(folder, 'dist/tus.js'), 'utf8')

/** Signs in with a session of its own, and begins an upload as those pages do. Pauses after the first piece. */
async function begin(page: Page, content: string, override: boolean) {
  await page.evaluate(library)
  const how = { content, override, user: { username: testUser.name, password: testUser.password } }
  return page.evaluateHandle(async ({ content, override, user }) => {
    const { tus } = globalThis as unknown as { tus: typeof import('tus-js-client') }
    const login = await fetch('/api/login', { method: 'POST', body: JSON.stringify(user) })
    const ended = Promise.withResolvers<string>()
    const paused = Promise.withResolvers<string>()
    let wasPaused = false
    const upload = new tus.Upload(new File([content], 'm.bin'), {
      endpoint: `/api/tus/m.bin?override=${override}`,
      headers: { 'X-Auth': await login.text() },
      chunkSize: content.length / 2,
      retryDelays: [],
      storeFingerprintForResuming: false,
      onSuccess: () => ended.resolve('done'),
      onError: (error) => ended.resolve(error.message),
      onChunkComplete: () => {
        if (wasPaused) return
        wasPaused = true
        void upload.abort().then(() => paused.resolve('paused'))
      },
    })
    const run = (wait: Promise<string>) => {
      upload.start()
      return wait
    }
    const first = await run(Promise.race([paused.promise, ended.promise]))
    return { first, finish: () => run(ended.promise) }
  }, how)
}

t.test('two pages of File Browser that upload different files of one name never mix them', async (t) => {
  const { page: anns, root, address } = await start(t, {})
  const bobs = await openPage(t)
  await bobs.goto(`${address}/login`)
  const onDisk = () => readFileSync(path.join(root, 'm.bin'), 'utf8')
  const first = (handle: Awaited<ReturnType<typeof begin>>) => handle.evaluate(({ first }) => first)
  const finish = (handle: Awaited<ReturnType<typeof begin>>) => handle.evaluate(({ finish }) => finish())

  const a = await begin(anns, 'A'.repeat(100_000), false)
  t.equal(await first(a), 'paused')
  t.match(await first(await begin(bobs, 'B'.repeat(100_000), false)), /response code: 409/)
  t.equal(await finish(a), 'done')
  t.equal(onDisk(), 'A'.repeat(100_000))

  const again = await begin(anns, 'C'.repeat(100_000), true)
  t.equal(await first(again), 'paused')
  const other = await begin(bobs, 'D'.repeat(100_000), true)
  t.equal(await first(other), 'paused')
  t.equal(await finish(other), 'done')
  t.equal(onDisk(), 'D'.repeat(100_000))
})
