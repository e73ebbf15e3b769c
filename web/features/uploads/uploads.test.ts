import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, item, names, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

interface Chosen {
  name: string
  mimeType: string
  buffer: Buffer
}

const file = (name: string, content: string | Buffer): Chosen => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
})

async function choose(page: Page, choice: 'Upload files' | 'Upload a folder', files: Chosen[] | string) {
  await page.getByRole('main').getByRole('button', { name: 'Upload', exact: true }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: choice }).click()
  await (await chooser).setFiles(files)
}

/** Drops files on whatever is at `target`, as the desktop would. */
async function drop(page: Page, target: string, files: { name: string; content: string }[]) {
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer()
    for (const { name, content } of files) data.items.add(new File([content], name))
    return data
  }, files)
  for (const type of ['dragover', 'drop'])
    await page.locator(target).dispatchEvent(type, { dataTransfer: data })
}

const done = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('heading', { name: text }).waitFor()

t.test('several files are uploaded by button, whatever their names', async (t) => {
  const { page, root } = await start(t, { 'old.txt': 'old' })
  const wanted = ['a b#?%.txt', '🎉 & <b>.bin', 'مرحبا.txt', 'empty.txt']
  const content = (name: string) => (name === 'empty.txt' ? '' : `this is ${name}`)
  await choose(
    page,
    'Upload files',
    wanted.map((name) => file(name, content(name))),
  )
  await done(page, '4 files uploaded')
  for (const name of wanted) {
    await item(page, name).waitFor()
    t.equal(await readFile(path.join(root, name), 'utf8'), content(name))
  }
})

t.test('a folder is uploaded with all that is in it', async (t) => {
  const { page, root } = await start(t, { 'old.txt': 'old' })
  const source = path.join(path.dirname(root), 'trip')
  await mkdir(path.join(source, 'day 1', 'raw'), { recursive: true })
  await writeFile(path.join(source, 'plan.txt'), 'plan')
  await writeFile(path.join(source, 'day 1', 'raw', 'a#1.jpg'), 'picture')
  await choose(page, 'Upload a folder', source)
  await done(page, '2 files uploaded')
  await item(page, 'trip').waitFor()
  t.same((await readdir(path.join(root, 'trip'))).toSorted(), ['day 1', 'plan.txt'])
  t.equal(await readFile(path.join(root, 'trip/day 1/raw/a#1.jpg'), 'utf8'), 'picture')
})

t.test('files dropped on the page go into its folder, on a folder into that', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '', inner: {} })
  await item(page, 'inner').waitFor()
  await drop(page, '[data-part=list]', [{ name: 'here.txt', content: 'here' }])
  await item(page, 'here.txt').waitFor()
  await drop(page, '[data-part=row][data-folder]', [{ name: 'there.txt', content: 'there' }])
  await done(page, '1 file uploaded')
  t.same(await readdir(path.join(root, 'inner')), ['there.txt'])
  t.same(await names(page), ['inner', 'a.txt', 'here.txt'])
})

t.test('a name that is taken is asked about: skip, keep both, replace', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'old', 'b.txt': 'old', 'c.tar.gz': 'old' })
  await choose(page, 'Upload files', [file('a.txt', 'new'), file('b.txt', 'new'), file('c.tar.gz', 'new')])
  const answers: Record<string, string> = { 'a.txt': 'Skip', 'b.txt': 'Replace', 'c.tar.gz': 'Keep both' }
  for (let n = 0; n < 3; n++) {
    const dialog = page.getByRole('dialog', { name: 'Replace the file?' })
    const name = (await dialog.getByText('is already in this folder').locator('bdi').textContent()) ?? ''
    await dialog.getByRole('button', { name: answers[name] ?? '' }).click()
    await dialog.getByText(`“${name}”`).waitFor({ state: 'detached' })
  }
  await done(page, '2 files uploaded')
  await item(page, 'c.tar(1).gz').waitFor()
  const content = (name: string) => readFile(path.join(root, name), 'utf8')
  t.equal(await content('a.txt'), 'old')
  t.equal(await content('b.txt'), 'new')
  t.equal(await content('c.tar.gz'), 'old')
  t.equal(await content('c.tar(1).gz'), 'new')
})

t.test('one answer can hold for all that follow', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'old', 'b.txt': 'old', 'c.txt': 'old' })
  await choose(page, 'Upload files', [file('a.txt', 'new'), file('b.txt', 'new'), file('c.txt', 'new')])
  await page.getByRole('dialog').getByLabel('Do the same for all').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await done(page, '3 files uploaded')
  for (const name of ['a.txt', 'b.txt', 'c.txt'])
    t.equal(await readFile(path.join(root, name), 'utf8'), 'new')
})

t.test('a large file that is there already is asked about before it is sent', async (t) => {
  const { page, root } = await start(t, { 'big.bin': 'old' })
  const source = path.join(path.dirname(root), 'big.bin')
  await writeFile(source, Buffer.alloc(30 * 1024 * 1024, 1))
  await choose(page, 'Upload files', source)
  await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click()
  await done(page, '0 files uploaded')
  t.equal(await readFile(path.join(root, 'big.bin'), 'utf8'), 'old')
})

t.test('an upload shows how far it is and can be cancelled and tried again', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  const network = await page.context().newCDPSession(page)
  const limit = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await network.send('Network.enable')
  await limit(200_000)
  await choose(page, 'Upload files', [file('slow.bin', Buffer.alloc(4_000_000, 1))])
  const panel = page.getByRole('region', { name: 'Uploads' })
  const bar = panel.getByRole('progressbar', { name: 'slow.bin' })
  await page.waitForFunction(() => {
    const bar = document.querySelector<HTMLProgressElement>('progress[aria-label="slow.bin"]')
    return bar !== null && bar.value > 0 && bar.value < 100
  })
  await panel.getByText(/[\d.]+ [KM]B of 3\.81 MB/).waitFor()
  await panel.getByText(/[KM]B\/s/).waitFor()
  await panel.getByRole('button', { name: 'Cancel slow.bin' }).click()
  await bar.waitFor({ state: 'detached' })
  await panel.getByText('Cancelled').waitFor()
  t.same(await names(page), ['a.txt'], 'no half file is shown')
  await limit(-1)
  await panel.getByRole('button', { name: 'Try slow.bin again' }).click()
  await done(page, '1 file uploaded')
  await item(page, 'slow.bin').waitFor()
  t.equal((await readFile(path.join(root, 'slow.bin'))).length, 4_000_000)
})

t.test('an upload the server refuses says why and can be tried again', async (t) => {
  const { page, root } = await start(t, { target: '' })
  await page.route('**/api/resources/a.txt*', (route) =>
    route.fulfill({
      status: 507,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 507, code: 'disk.full', detail: 'no space left' }),
    }),
  )
  await choose(page, 'Upload files', [file('a.txt', 'x')])
  await page.getByText('There is no space left on the server.').waitFor()
  await page.unroute('**/api/resources/a.txt*')
  await page.getByRole('button', { name: 'Try a.txt again' }).click()
  await done(page, '1 file uploaded')
  t.equal(await readFile(path.join(root, 'a.txt'), 'utf8'), 'x')
})
