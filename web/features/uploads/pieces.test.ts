import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, start, testUser, violations, visibleNames } from '#web/testing/browser.ts'
import {
  chooseFiles,
  file,
  limitPieces,
  limitUploadRate,
  untilHalfSent,
  uploadsDone,
  uploadsPanel,
} from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const mega = 1024 * 1024
const content = randomBytes(3 * mega)
/** Bytes per second with which a piece takes a second. */
const slow = mega
const date = new Date('2003-03-03T03:03:03.123Z')

/** Opens a page whose pieces are of 1 MiB, and creates a file that is large for it. */
async function open(t: Test) {
  const { page, root, address } = await start(t, { 'a.txt': '' })
  await limitPieces(page, mega)
  await itemNamed(page, 'a.txt').waitFor()
  const source = path.join(path.dirname(root), 'large.bin')
  await writeFile(source, content)
  await utimes(source, date, date)
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  return {
    page,
    root,
    address,
    source,
    /** The offsets of the pieces that were sent. */
    offsets,
    /** The file has arrived with its content and its date. */
    isWhole: () =>
      readFileSync(path.join(root, 'large.bin')).equals(content) &&
      statSync(path.join(root, 'large.bin')).mtimeMs === date.getTime(),
    parts: () => readdirSync(root).filter((name) => name.startsWith('.coffer-part-')),
  }
}

/** Waits until at least the first piece has arrived, but not all pieces. */
async function untilSecondPiece(page: Page, offsets: readonly number[]): Promise<void> {
  while (offsets.length < 2) await page.waitForRequest(/\/api\/tus\//)
  await untilHalfSent(page, 'large.bin')
}

t.test('uploads a large file in pieces and resends only an interrupted piece', async (t) => {
  const { page, source, offsets, isWhole, parts } = await open(t)
  let cuts = 0
  await page.route('**/api/tus/**', (route) => {
    const isSecond = route.request().headers()['upload-offset'] === String(mega)
    if (isSecond && cuts++ === 0) return route.abort('connectionreset')
    return route.continue()
  })
  await chooseFiles(page, 'Upload files', source)
  await uploadsDone(page, '1 file uploaded')
  t.same(
    offsets,
    [0, 1, 1, 2].map((n) => n * mega),
  )
  t.ok(isWhole())
  t.same(parts(), [])
  await itemNamed(page, 'large.bin').waitFor()
  t.same(await visibleNames(page), ['a.txt', 'large.bin'])
})

t.test('after a lost connection, continues with the bytes that have not arrived', async (t) => {
  const { page, source, offsets, isWhole } = await open(t)
  await limitUploadRate(page, slow)
  await chooseFiles(page, 'Upload files', source)
  await untilSecondPiece(page, offsets)
  await limitUploadRate(page, 0)
  await uploadsPanel(page).getByText("Can't reach the server. The uploads will continue").waitFor()
  await uploadsPanel(page)
    .getByText(/[\d.]+ MB of 3 MB/)
    .first()
    .waitFor()
  const before = offsets.length
  await limitUploadRate(page, -1)
  await uploadsDone(page, '1 file uploaded')
  t.ok((offsets[before] ?? 0) >= mega, String(offsets))
  t.ok(isWhole())
})

t.test('pausing a large file keeps its progress and shows it', async (t) => {
  const { page, source, offsets, isWhole } = await open(t)
  await limitUploadRate(page, slow)
  await chooseFiles(page, 'Upload files', source)
  await untilSecondPiece(page, offsets)
  await uploadsPanel(page).getByRole('button', { name: 'Pause large.bin' }).click()
  const line = uploadsPanel(page).locator('[data-status=paused]')
  await line.getByText(/[\d.]+ MB of 3 MB/).waitFor()
  t.same(await violations(page, '[data-part=uploads]'), [])
  const before = offsets.length
  await uploadsPanel(page).getByRole('button', { name: 'Resume large.bin' }).click()
  await until(() => offsets.length > before)
  await untilHalfSent(page, 'large.bin')
  t.ok((offsets[before] ?? 0) >= mega, String(offsets))
  await uploadsPanel(page).getByRole('button', { name: 'Pause all uploads' }).click()
  await uploadsPanel(page).locator('[data-status=waiting]').waitFor()
  t.equal(await uploadsPanel(page).getByText('start over').count(), 0)
  await limitUploadRate(page, -1)
  await uploadsPanel(page).getByRole('button', { name: 'Resume all uploads' }).click()
  await uploadsDone(page, '1 file uploaded')
  t.ok(isWhole())
})

t.test(
  'after a reload, the same file continues where it stopped, and another file starts from 0',
  async (t) => {
    const { page, root, source, offsets, isWhole, parts } = await open(t)
    page.on('dialog', (dialog) => void dialog.accept())
    await limitUploadRate(page, slow)
    await chooseFiles(page, 'Upload files', source)
    await untilSecondPiece(page, offsets)
    await page.reload()
    await itemNamed(page, 'a.txt').waitFor()
    await limitUploadRate(page, -1)
    const before = offsets.length
    await chooseFiles(page, 'Upload files', source)
    await uploadsDone(page, '1 file uploaded')
    t.ok((offsets[before] ?? 0) >= mega, String(offsets))
    t.ok(isWhole())
    t.same(parts(), [])
    t.equal(
      await page.evaluate(() => localStorage.getItem('coffer.uploads')),
      null,
      'the stored progress is deleted',
    )
    const other = path.join(path.dirname(root), 'other.bin')
    await writeFile(other, content)
    const sent = offsets.length
    await chooseFiles(page, 'Upload files', other)
    await itemNamed(page, 'other.bin').waitFor()
    t.equal(offsets[sent], 0)
  },
)

t.test('cancelling a large file deletes its temporary file on the server', async (t) => {
  const { page, source, offsets, parts, isWhole } = await open(t)
  await limitUploadRate(page, slow)
  await chooseFiles(page, 'Upload files', source)
  await untilSecondPiece(page, offsets)
  t.equal(parts().length, 1)
  const deleted = page.waitForResponse((reply) => reply.request().method() === 'DELETE')
  await uploadsPanel(page).getByRole('button', { name: 'Cancel large.bin' }).click()
  t.equal((await deleted).status(), 204)
  await uploadsPanel(page).getByText('Canceled', { exact: true }).waitFor()
  t.same(parts(), [])
  await limitUploadRate(page, -1)
  await uploadsPanel(page).getByRole('button', { name: 'Try large.bin again' }).click()
  await uploadsDone(page, '1 file uploaded')
  t.ok(isWhole())
})

t.test('asks what to do while another client uploads a file of the same name', async (t) => {
  const { page, root, address, source } = await open(t)
  const body = JSON.stringify({ username: testUser.name, password: testUser.password })
  const token = await (await fetch(`${address}/api/login`, { method: 'POST', body })).text()
  const headers = { 'X-Auth': token, 'Upload-Length': '3' }
  t.equal((await fetch(`${address}/api/tus/large.bin`, { method: 'POST', headers })).status, 201)
  await chooseFiles(page, 'Upload files', source)
  await page.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click()
  await uploadsDone(page, '1 file uploaded')
  await itemNamed(page, 'large (1).bin').waitFor()
  t.ok(readFileSync(path.join(root, 'large (1).bin')).equals(content))
})

t.test('without a limit, the second piece of a file is as large as the network carries', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  const source = path.join(path.dirname(root), 'large.bin')
  const large = randomBytes(21 * mega)
  await writeFile(source, large)
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  await chooseFiles(page, 'Upload files', source)
  await uploadsDone(page, '1 file uploaded')
  t.same(offsets, [0, 16 * mega])
  t.ok(readFileSync(path.join(root, 'large.bin')).equals(large))
})

t.test('a piece that makes no progress for a minute is sent again', async (t) => {
  const { page, source, offsets, isWhole } = await open(t)
  await page.clock.install()
  await page.reload()
  await itemNamed(page, 'a.txt').waitFor()
  const asked = Promise.withResolvers<void>()
  await page.route(
    '**/api/tus/**',
    (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      asked.resolve()
      return undefined
    },
    { times: 2 },
  )
  await chooseFiles(page, 'Upload files', source)
  await asked.promise
  await page.clock.fastForward(59_000)
  t.same(offsets, [0])
  await page.clock.fastForward(2000)
  await uploadsDone(page, '1 file uploaded')
  t.same(
    offsets,
    [0, 0, 1, 2].map((n) => n * mega),
  )
  t.ok(isWhole())
})

t.test('a page of errors that a proxy sends does not end an upload', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  let tries = 0
  await page.route('**/api/resources/b.txt*', (route) =>
    tries++ === 0 ? route.fulfill({ status: 524, body: 'a timeout occurred' }) : route.continue(),
  )
  await chooseFiles(page, 'Upload files', [file('b.txt', 'b')])
  await uploadsDone(page, '1 file uploaded')
  t.equal(readFileSync(path.join(root, 'b.txt'), 'utf8'), 'b')
})
