import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start, startCompleteBrowser } from '#web/testing/browser.ts'
import {
  chooseFiles,
  dropFromDesktop,
  file,
  limitUploadRate,
  uploadsDone,
  uploadsPanel,
} from '#web/testing/uploads.ts'

// One test deletes a file after choosing it.
startCompleteBrowser()
t.teardown(closeBrowser)

const names = Array.from({ length: 120 }, (_, n) => `file ${n} #%?.txt`)
const files = (content = 'this is ') => names.map((name) => file(name, content + name))

/** Records the addresses of uploads, without the query. */
function watchRequests(page: Page): string[] {
  const addresses: string[] = []
  page.on('request', (request) => {
    const address = new URL(request.url()).pathname
    if (request.method() === 'POST' && /^\/api\/(upload|resources)\//.test(address)) addresses.push(address)
  })
  return addresses
}

async function everyFile(t: import('tap').Test, root: string, content = 'this is '): Promise<void> {
  for (const name of names) t.equal(await readFile(path.join(root, name), 'utf8'), content + name)
}

t.test('many small files need only a few requests, and are undone together', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  const requests = watchRequests(page)
  await chooseFiles(page, 'Upload files', files())
  await uploadsDone(page, '120 files uploaded')
  await everyFile(t, root)
  t.ok(requests.length <= 6, `${requests.length} requests`)
  await page.keyboard.press('ControlOrMeta+z')
  await page.getByText('Undone: Uploaded 120 items').waitFor()
  t.strictSame(await readdir(root), ['old.txt'])
})

t.test('a folder with many small folders and empty folders needs only a few requests', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  const requests = watchRequests(page)
  const source = path.join(path.dirname(root), 'trip')
  for (let day = 0; day < 20; day++) {
    await mkdir(path.join(source, `day ${day}`, 'empty'), { recursive: true })
    await writeFile(path.join(source, `day ${day}`, 'a.txt'), `a ${day}`)
  }
  await itemNamed(page, 'old.txt').waitFor()
  await dropFromDesktop(page, [source])
  await uploadsDone(page, '20 files and 41 folders uploaded')
  t.ok(requests.length <= 8, `${requests.length} requests`)
  for (let day = 0; day < 20; day++) {
    t.strictSame((await readdir(path.join(root, 'trip', `day ${day}`))).sort(), ['a.txt', 'empty'])
    t.equal(await readFile(path.join(root, 'trip', `day ${day}`, 'a.txt'), 'utf8'), `a ${day}`)
  }
})

t.test('a few files and large files have a request each', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  const requests = watchRequests(page)
  const large = Array.from({ length: 9 }, (_, n) => file(`large ${n}.bin`, Buffer.alloc(100_000)))
  await chooseFiles(page, 'Upload files', [file('a.txt', 'a'), file('b.txt', 'b'), ...large])
  await uploadsDone(page, '11 files uploaded')
  t.equal(requests.length, 11)
  t.equal((await readdir(root)).length, 12)
})

t.test('asks about a name that was taken after the question at the beginning', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  await page.route(
    '**/api/upload/*',
    async (route) => {
      await writeFile(path.join(root, names[0] ?? ''), 'from another program')
      await route.continue()
    },
    { times: 1 },
  )
  await chooseFiles(page, 'Upload files', files())
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await uploadsDone(page, '120 files uploaded')
  await everyFile(t, root)
})

t.test('shows the reason for each file that the server refuses, and uploads the others', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  const reserved = file('.coffer-part-1', 'x')
  await chooseFiles(page, 'Upload files', [...files(), reserved])
  await uploadsDone(page, '1 upload failed')
  await everyFile(t, root)
})

t.test('files arrive although the response for them was lost', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  await page.route(
    '**/api/upload/*',
    async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    },
    { times: 1 },
  )
  const content = 'x'.repeat(3000)
  await chooseFiles(page, 'Upload files', files(content))
  await uploadsDone(page, '120 files uploaded')
  await everyFile(t, root, content)
})

t.test('a proxy that knows no request with several files does not stop the upload', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  await page.route('**/api/upload/*', (route) => route.fulfill({ status: 413, body: 'too large' }))
  await chooseFiles(page, 'Upload files', files())
  await uploadsDone(page, '120 files uploaded')
  await everyFile(t, root)
})

t.test('pausing does not interrupt files that share a request', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  const requests = watchRequests(page)
  await limitUploadRate(page, 20_000)
  const content = 'x'.repeat(20_000)
  await chooseFiles(page, 'Upload files', files(content))
  await uploadsPanel(page)
    .getByRole('button', { name: `Cancel ${names[0]}` })
    .waitFor()
  await uploadsPanel(page).getByRole('button', { name: 'Pause all uploads' }).click()
  await limitUploadRate(page, -1)
  await itemNamed(page, names[3] ?? '').waitFor()
  t.ok((await readdir(root)).length < 120)
  t.ok(requests.length <= 3, `${requests.length} requests`)
  await uploadsPanel(page).getByRole('button', { name: 'Resume all uploads' }).click()
  await uploadsDone(page, '120 files uploaded')
  await everyFile(t, root, content)
})

t.test('cancelling all uploads stops a request with several files', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  await limitUploadRate(page, 20_000)
  await chooseFiles(page, 'Upload files', files('x'.repeat(20_000)))
  await uploadsPanel(page)
    .getByRole('button', { name: `Cancel ${names[0]}` })
    .waitFor()
  await uploadsPanel(page).getByRole('button', { name: 'Cancel all uploads' }).click()
  await uploadsPanel(page).getByRole('button', { name: 'Close uploads' }).click()
  await uploadsPanel(page).waitFor({ state: 'detached' })
  await limitUploadRate(page, -1)
  t.ok((await readdir(root)).length < 120)
})

t.test('a file that was deleted on the device fails alone', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  const source = path.join(path.dirname(root), 'device')
  await mkdir(source)
  for (const name of names) await writeFile(path.join(source, name), name)
  await itemNamed(page, 'old.txt').waitFor()
  // The page reads the folder again before it sends anything.
  const deleted = Promise.withResolvers<void>()
  await page.route('**/api/resources/**', async (route) => {
    await deleted.promise
    await route.continue()
  })
  await chooseFiles(
    page,
    'Upload files',
    names.map((name) => path.join(source, name)),
  )
  await rm(path.join(source, names[5] ?? ''))
  deleted.resolve()
  await uploadsPanel(page).getByText('This file can no longer be read on your device.').waitFor()
  await uploadsDone(page, '1 upload failed')
  t.equal((await readdir(root)).length, 120)
})
