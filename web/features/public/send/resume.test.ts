import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { fakeClamd } from '#src/testing/clamd.ts'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, openPage, serve, violationsInBothThemes } from '#web/testing/browser.ts'
import { createShare, type LinkOptions } from '#web/testing/link.ts'
import { file, limitPieces, limitUploadRate, untilHalfSent } from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const mega = 1024 * 1024
const content = randomBytes(3 * mega)
const sha256 = createHash('sha256').update(content).digest('hex')
/** Bytes per second with which a piece takes a second. */
const slow = mega
const date = new Date('2003-03-03T03:03:03.123Z')

interface VisitOptions {
  link?: LinkOptions
  /** Flags of the server. */
  more?: readonly string[]
}

/** A visitor of a link to an empty folder, whose page sends pieces of 1 MiB, and a file that is large for it. */
async function visit(t: Test, { link = {}, more = [] }: VisitOptions = {}) {
  const base = t.testdir({ root: { inbox: {} } })
  const folder = path.join(base, 'root', 'inbox')
  const address = await serve(t, path.join(base, 'root'), more)
  const { hash } = await createShare(address, '/inbox/', { rights: 'upload', ...link })
  const page = await openPage(t)
  page.on('dialog', (dialog) => void dialog.accept())
  await page.goto(`${address}/share/${hash}`)
  await limitPieces(page, mega)
  const source = path.join(base, 'large.bin')
  await writeFile(source, content)
  await utimes(source, date, date)
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  const sent = page.getByRole('region', { name: 'Files that you have sent' })
  return {
    page,
    address,
    hash,
    folder,
    source,
    /** The offsets of the pieces that were sent. */
    offsets,
    sent,
    /** Waits until this number of files was sent. */
    done: (text: string) => sent.getByRole('heading', { name: text }).waitFor(),
    /** The file has arrived with its content and its date. */
    isWhole: (name = 'large.bin') =>
      readFileSync(path.join(folder, name)).equals(content) &&
      statSync(path.join(folder, name)).mtimeMs === date.getTime(),
    parts: () => readdirSync(folder).filter((name) => name.startsWith('.coffer-part-')),
    names: () => readdirSync(folder).sort(),
  }
}

async function choose(page: Page, files: string | string[] | ReturnType<typeof file>[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose files' }).click()
  await (await chooser).setFiles(files)
}

/** Waits until at least the first piece has arrived, but not all pieces. */
async function untilSecondPiece(page: Page, offsets: readonly number[]): Promise<void> {
  while (offsets.length < 2) await page.waitForRequest(/\/api\/public\/tus\//)
  await untilHalfSent(page, 'large.bin')
}

t.test('a visitor sends a large file in pieces, and pauses and resumes it', async (t) => {
  const { page, source, offsets, sent, done, isWhole, names } = await visit(t)
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(request.url()))
  const isLoaded = () => scripts.some((url) => /\/later-send-[^/]*\.js$/.test(url))
  await page.reload()
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  t.notOk(isLoaded(), 'the code that sends files is loaded with the first file')
  await limitUploadRate(page, slow)
  await choose(page, source)
  await untilSecondPiece(page, offsets)
  t.ok(isLoaded())
  await sent.getByRole('button', { name: 'Pause large.bin' }).click()
  await sent.getByText(/[\d.]+ MB of 3 MB/).waitFor()
  await sent.getByRole('heading', { name: '1 upload paused' }).waitFor()
  t.same(await violationsInBothThemes(page), [])
  const before = offsets.length
  await sent.getByRole('button', { name: 'Resume large.bin' }).click()
  await until(() => offsets.length > before)
  await untilHalfSent(page, 'large.bin')
  t.ok((offsets[before] ?? 0) >= mega, String(offsets))
  await sent.getByRole('button', { name: 'Pause all uploads' }).click()
  await sent.locator('[data-status=waiting]').waitFor()
  t.equal(await sent.getByText('start over').count(), 0)
  await limitUploadRate(page, -1)
  await sent.getByRole('button', { name: 'Resume all uploads' }).click()
  await done('1 file sent')
  await sent.getByText(sha256).waitFor()
  t.ok(isWhole())
  t.same(names(), ['large.bin'])
})

t.test('after a lost connection, the files of a visitor go on by themselves', async (t) => {
  const { page, source, offsets, sent, done, isWhole, names } = await visit(t)
  await limitUploadRate(page, slow)
  await choose(page, source)
  await untilSecondPiece(page, offsets)
  await limitUploadRate(page, 0)
  await sent.getByText("Can't reach the server. The uploads will continue").waitFor()
  await sent.getByText(/[\d.]+ MB of 3 MB/).waitFor()
  t.same(await violationsInBothThemes(page), [])
  const before = offsets.length
  await limitUploadRate(page, -1)
  await done('1 file sent')
  t.ok((offsets[before] ?? 0) >= mega, String(offsets))
  t.ok(isWhole())
  t.same(names(), ['large.bin'])
})

t.test('a visitor who chooses the same file after a reload continues it', async (t) => {
  const { page, address, hash, source, offsets, sent, done, isWhole, names } = await visit(t)
  await limitUploadRate(page, slow)
  await choose(page, source)
  await untilSecondPiece(page, offsets)
  await page.reload()
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  await limitUploadRate(page, -1)
  const before = offsets.length
  await choose(page, source)
  await done('1 file sent')
  t.ok((offsets[before] ?? 0) >= mega, String(offsets))
  await sent.getByText(sha256).waitFor()
  t.ok(isWhole())
  t.same(names(), ['large.bin'])
  t.equal(await page.evaluate(() => localStorage.getItem('coffer.uploads')), null)
  const other = await openPage(t)
  await other.goto(`${address}/share/${hash}`)
  await choose(other, source)
  await other.getByRole('heading', { name: '1 file sent' }).waitFor()
  t.ok(isWhole('large(1).bin'), 'another visit sends a file of its own')
})

t.test('cancelling a large file of a visitor deletes what has arrived', async (t) => {
  const { page, source, offsets, sent, done, isWhole, parts, names } = await visit(t)
  for (const state of ['sending', 'paused']) {
    await limitUploadRate(page, slow)
    const before = offsets.length
    if (state === 'sending') await choose(page, source)
    else await sent.getByRole('button', { name: 'Try large.bin again' }).click()
    await until(() => offsets.length > before + 1)
    await untilHalfSent(page, 'large.bin')
    t.equal(parts().length, 1, state)
    if (state === 'paused') await sent.getByRole('button', { name: 'Pause large.bin' }).click()
    const deleted = page.waitForResponse((reply) => reply.request().method() === 'DELETE')
    await sent.getByRole('button', { name: 'Cancel large.bin' }).click()
    t.equal((await deleted).status(), 204, state)
    await sent.getByText('Canceled', { exact: true }).waitFor()
    t.same(parts(), [], state)
  }
  await limitUploadRate(page, -1)
  await sent.getByRole('button', { name: 'Try large.bin again' }).click()
  await done('1 file sent')
  t.ok(isWhole())
  t.same(names(), ['large.bin'])
})

t.test('a visitor gets the receipt also if the answer to the last piece is lost', async (t) => {
  const { page, source, sent, done, isWhole, names } = await visit(t)
  let lost = 0
  await page.route('**/api/public/tus/**', async (route) => {
    const isLast = route.request().headers()['upload-offset'] === String(2 * mega)
    if (!isLast || lost++ > 0) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await choose(page, source)
  await done('1 file sent')
  await sent.getByText(sha256).waitFor()
  t.equal(lost, 1)
  t.ok(isWhole())
  t.same(names(), ['large.bin'])
})

t.test('a small file of a visitor is sent again after its connection has broken', async (t) => {
  const { page, sent, done, names, folder } = await visit(t)
  let broken = 0
  await page.route('**/api/public/resources/**', (route) => {
    broken++
    return route.abort('connectionreset')
  })
  await choose(page, [file('small.txt', 'small'), file('empty.txt', '')])
  await page.getByText("Can't reach the server. Check your connection").waitFor()
  t.equal(broken, 4, 'once the small file, which is sent in pieces then, and three times the empty one')
  await sent.locator('[data-status=done]').waitFor()
  await page.unroute('**/api/public/resources/**')
  await page.getByRole('button', { name: 'Try empty.txt again' }).click()
  await done('2 files sent')
  t.equal(readFileSync(path.join(folder, 'small.txt'), 'utf8'), 'small')
  t.same(names(), ['empty.txt', 'small.txt'])
})

t.test('after a reload, another file of the same name starts from 0', async (t) => {
  const { page, source, offsets, done, folder, names } = await visit(t)
  await limitUploadRate(page, slow)
  await choose(page, source)
  await untilSecondPiece(page, offsets)
  await page.reload()
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  await limitUploadRate(page, -1)
  const other = randomBytes(2 * mega)
  await writeFile(source, other)
  const before = offsets.length
  await choose(page, source)
  await done('1 file sent')
  t.equal(offsets[before], 0)
  t.ok(readFileSync(path.join(folder, 'large.bin')).equals(other))
  t.same(names(), ['large.bin'])
})

t.test('files of the same name are sent one after the other', async (t) => {
  const { page, source, offsets, sent, done, isWhole, names } = await visit(t)
  await limitUploadRate(page, slow)
  await choose(page, source)
  await untilSecondPiece(page, offsets)
  await choose(page, source)
  await sent.getByText('Waiting').waitFor()
  await limitUploadRate(page, -1)
  await done('2 files sent')
  t.same(
    offsets,
    [0, 1, 2, 0, 1, 2].map((n) => n * mega),
  )
  t.ok(isWhole('large.bin') && isWhole('large(1).bin'))
  t.same(names(), ['large(1).bin', 'large.bin'])
})

t.test('a large file goes on when the password of its link was entered again', async (t) => {
  const password = 'open sesame, please'
  const { page, sent, done, source, offsets, isWhole, names } = await visit(t, { link: { password } })
  const enter = async () => {
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByLabel('Password').waitFor({ state: 'detached' })
  }
  await enter()
  let isOver = false
  await page.route('**/api/public/tus/**', (route) => {
    const isSecond = route.request().headers()['upload-offset'] === String(mega)
    if (!isSecond || isOver) return route.continue()
    isOver = true
    return route.fulfill({ status: 401, json: { code: 'share.password' } })
  })
  await choose(page, source)
  await page.getByRole('heading', { name: 'This link needs a password.' }).waitFor()
  await sent.getByText('The uploads will continue when the password is entered again.').waitFor()
  await sent.getByText('1 MB of 3 MB').waitFor()
  t.same(await violationsInBothThemes(page), [])
  await enter()
  await done('1 file sent')
  t.same(
    offsets,
    [0, 1, 1, 2].map((n) => n * mega),
  )
  t.ok(isWhole())
  t.same(names(), ['large.bin'])
})

t.test('a large file that is held for the virus scanner says so', async (t) => {
  const scanner = await fakeClamd(t)
  const clamd = `${scanner.address.host}:${scanner.address.port}`
  await scanner.stop()
  const { page, source, sent, done, names } = await visit(t, { more: ['--clamd', clamd] })
  await choose(page, source)
  await done('1 file sent')
  await sent.getByText('Received. It becomes visible when a virus scanner has examined it.').waitFor()
  t.equal(await sent.getByText('SHA-256').count(), 0)
  t.same(
    names().filter((name) => !name.startsWith('.')),
    [],
  )
})
