import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import {
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  violations,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { createShare, type LinkOptions } from '#web/testing/link.ts'
import { noticed } from '#web/testing/notices.ts'
import { dropFiles, file } from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const root = t.testdir({
  inbox: { 'old.txt': 'CANARY', sub: {} },
  many: {},
  shown: { 'old.txt': 'old' },
  pictures: { 'a.png': asPng(plain(300, 200, [30, 120, 200])) },
  edited: { 'old.txt': 'old', 'other.txt': 'other' },
})
const started = serve(t, root)

/** A visitor of a link to `folder` with these rights and conditions. */
async function visit(t: Test, folder: string, link: LinkOptions, width = 1280) {
  const address = await started
  const { hash } = await createShare(address, folder, link)
  const page = await openPage(t, {
    viewport: { width, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.goto(`${address}/share/${hash}`)
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  return { page, hash, address, sent: page.getByRole('region', { name: 'Files that you have sent' }) }
}

async function choose(page: Page, files: Parameters<Awaited<ReturnType<typeof chooserOf>>['setFiles']>[0]) {
  const chooser = chooserOf(page)
  await page.getByRole('button', { name: 'Choose files' }).click()
  await (await chooser).setFiles(files)
}

const chooserOf = (page: Page) => page.waitForEvent('filechooser')
const read = (name: string) => readFile(path.join(root, name), 'utf8')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

t.test(
  'a visitor sends files with a link that only receives, and copies the receipt, also after a reload',
  async (t) => {
    const { page, sent } = await visit(t, '/inbox/', {
      rights: 'upload',
      title: 'Photos of the summer',
      message: 'Please send all of them.\nThank you!',
    })
    await page.getByRole('heading', { name: 'Photos of the summer' }).waitFor()
    await page.getByText('Please send all of them.').waitFor()
    t.equal(await page.title(), 'Photos of the summer – Coffer')
    t.equal(await page.getByText('old.txt').count(), 0, 'the content of the folder stays private')
    t.equal(await page.getByRole('link', { name: /Download/ }).count(), 0)
    t.same(await violations(page), [])
    await choose(page, [file('one.txt', 'one'), file('old.txt', 'another')])
    await sent.getByRole('heading', { name: '2 files sent' }).waitFor()
    t.equal(await read('inbox/one.txt'), 'one')
    t.equal(await read('inbox/old.txt'), 'CANARY', 'a taken name gets a number')
    await sent.getByText(sha256('one')).waitFor()
    t.same(await violationsInBothThemes(page), [])
    await sent.getByRole('button', { name: 'Copy receipt' }).click()
    await noticed(page, 'Receipt copied!')
    await page.reload()
    await sent.getByRole('heading', { name: '2 files sent' }).waitFor()
    await sent.getByRole('button', { name: 'Copy receipt' }).click()
    await noticed(page, 'Receipt copied!')
    const receipt = await page.evaluate(() => navigator.clipboard.readText())
    t.match(receipt, /^Photos of the summer\n/)
    t.ok(receipt.includes(`${sha256('one')}  one.txt  (3 bytes)`), receipt)
    t.ok(receipt.includes(sha256('another')), receipt)
  },
)

t.test('files and folders can be dropped anywhere on the page of a link that receives', async (t) => {
  const { page, sent } = await visit(t, '/many/', { rights: 'upload', message: 'x' })
  await dropFiles(
    page,
    'main',
    [1, 2, 3, 4, 5].map((n) => ({ name: `${n}.txt`, content: `drop ${n}` })),
  )
  await sent.getByRole('heading', { name: '5 files sent' }).waitFor()
  t.equal(await read('many/5.txt'), 'drop 5')
})

t.test('at most three files are sent at once, and each can be cancelled and sent again', async (t) => {
  const { page, hash, sent } = await visit(t, '/many/', { rights: 'upload', message: 'y' })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(`**/api/public/resources/${hash}/**`, async (route) => {
    await released
    await route.continue().catch(() => undefined)
  })
  await choose(
    page,
    [1, 2, 3, 4].map((n) => file(`held ${n}.txt`, `${n}`)),
  )
  await sent.getByRole('heading', { name: 'Sending 4 files' }).waitFor()
  await sent.getByRole('progressbar').nth(2).waitFor()
  t.equal(await sent.getByRole('progressbar').count(), 3)
  t.equal(await sent.getByText('Waiting').count(), 1)
  t.same(await violations(page), [])
  await sent.getByRole('button', { name: 'Cancel held 1.txt' }).click()
  await sent.getByText('Canceled').waitFor()
  await sent.getByText('Waiting').waitFor({ state: 'detached' })
  release()
  await sent.getByRole('heading', { name: '3 files sent' }).waitFor()
  await sent.getByRole('button', { name: 'Try held 1.txt again' }).click()
  await sent.getByRole('heading', { name: '4 files sent' }).waitFor()
  t.equal(await read('many/held 1.txt'), '1')
})

t.test('the limits of a link are said before, and files that do not fit are not sent', async (t) => {
  const { page, hash, sent } = await visit(t, '/inbox/', {
    rights: 'upload',
    types: ['.pdf', '.jpg'],
    maxFileSize: 2048,
    maxFiles: 2,
  })
  await page.getByText('Up to 2 KB per file').waitFor()
  await page.getByText('2 more files can be sent').waitFor()
  await page.getByText('.pdf, .jpg').waitFor()
  let requests = 0
  page.on('request', (request) => {
    if (request.url().includes(`/api/public/resources/${hash}`)) requests++
  })
  await choose(page, [file('a.exe', 'x'), file('large.pdf', 'x'.repeat(2049)), file('fits.pdf', 'x')])
  await sent.getByText("This type of file isn't accepted here.").waitFor()
  await sent.getByText('This file is larger than 2 KB.').waitFor()
  await sent.getByRole('heading', { name: '1 file sent' }).waitFor()
  t.equal(requests, 1)
  await page.getByText('1 more file can be sent').waitFor()
  await choose(page, [file('second.pdf', 'y')])
  await page.getByText('No more files can be sent with this link.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Choose files' }).count(), 0)
  await sent.getByRole('heading', { name: '2 files sent' }).waitFor()
  t.same(await violations(page), [])
})

t.test('the receipt stays when the link ends, and says so above', async (t) => {
  for (const rights of ['upload', 'upload-view'] as const) {
    const { page, hash, sent } = await visit(t, '/shown/', { rights, title: rights }, 390)
    await page.route(`**/api/public/share/${hash}/**`, (route) =>
      route.fulfill({ status: 404, json: { code: 'share.unknown' } }),
    )
    await choose(page, [file(`${rights}.txt`, rights)])
    await page.getByRole('alert').getByText("This link doesn't exist or has expired.").waitFor()
    await sent.getByRole('heading', { name: '1 file sent' }).waitFor()
    t.same(await violationsInBothThemes(page), [], rights)
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    await sent.getByRole('button', { name: 'Copy receipt' }).click()
    await noticed(page, 'Receipt copied!')
    t.match(await page.evaluate(() => navigator.clipboard.readText()), sha256(rights))
    await page.unroute(`**/api/public/share/${hash}/**`)
    await choose(page, [file(`${rights} again.txt`, rights)])
    await sent.getByRole('heading', { name: '2 files sent' }).waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  }
})

t.test('files go on being sent while a link asks for its password again', async (t) => {
  const address = await started
  const password = 'open sesame, please'
  const { hash } = await createShare(address, '/shown/', { rights: 'upload-view', password })
  const page = await openPage(t)
  await page.clock.install()
  await page.goto(`${address}/share/${hash}`)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  const sent = page.getByRole('region', { name: 'Files that you have sent' })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(`**/api/public/resources/${hash}/**`, async (route) => {
    await released
    await route.continue().catch(() => undefined)
  })
  await choose(page, [file('long.txt', 'long')])
  await sent.getByRole('progressbar').waitFor()
  await page.clock.fastForward('01:00:00')
  await choose(page, [file('late.txt', 'late')])
  await page.getByRole('heading', { name: 'This link needs a password.' }).waitFor()
  await sent.getByRole('heading', { name: 'Sending 2 files' }).waitFor()
  await page.getByRole('link', { name: 'old.txt' }).waitFor()
  const isWarned = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))
  t.ok(await isWarned(), 'leaving the page would abort the file')
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByLabel('Password').waitFor({ state: 'detached' })
  release()
  await sent.getByRole('heading', { name: '2 files sent' }).waitFor()
  t.notOk(await isWarned())
  t.equal(await read('shown/late.txt'), 'late')
})

t.test(
  'a link that asks for a name needs it, and the files go to a folder with it, on a phone',
  async (t) => {
    const { page, sent } = await visit(t, '/inbox/', { rights: 'upload', askName: true }, 390)
    await page.getByRole('heading', { name: 'Send files' }).waitFor()
    await page.getByRole('button', { name: 'Choose files' }).press('Enter')
    await page.getByRole('alert').getByText('Enter your name first.').waitFor()
    await page.getByLabel('Your name').and(page.locator(':focus')).waitFor()
    t.same(await violationsInBothThemes(page), [])
    await page.getByLabel('Your name').fill('a/b')
    await page.getByRole('alert').getByText("A name can't be").waitFor()
    await page.getByLabel('Your name').fill(' Ann Lee ')
    const chooser = chooserOf(page)
    await page.getByRole('button', { name: 'Choose files' }).press('Enter')
    await (await chooser).setFiles([file('hers.txt', 'hers')])
    await sent.getByRole('heading', { name: '1 file sent' }).waitFor()
    t.equal(await read('inbox/Ann Lee/hers.txt'), 'hers')
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  },
)

t.test('a link that receives and shows files has the place to send them above the list', async (t) => {
  const { page, sent } = await visit(t, '/shown/', { rights: 'upload-view', title: 'Together' })
  await page.getByRole('heading', { name: 'Together' }).waitFor()
  await page.getByRole('link', { name: 'old.txt' }).waitFor()
  await choose(page, [file('added.txt', 'new')])
  await sent.getByRole('heading', { name: '1 file sent' }).waitFor()
  await page.getByRole('link', { name: 'added.txt' }).waitFor()
  await page.getByRole('link', { name: 'Download folder' }).waitFor()
  t.same(await violationsInBothThemes(page), [])
})

t.test('visitors of a link for editing rename and delete items, and are asked before', async (t) => {
  const { page, sent } = await visit(t, '/edited/', { rights: 'edit' })
  await itemNamed(page, 'old.txt').locator('[data-check]').click()
  await page.keyboard.press('F2')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New name').fill('new name.txt')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'new name.txt').waitFor()
  t.equal(await read('edited/new name.txt'), 'old')
  const actions = page.getByRole('toolbar', { name: 'Actions' })
  t.equal(await actions.getByRole('button', { name: /Move|Copy|Cut/ }).count(), 0)
  await actions.getByRole('button', { name: 'Delete' }).click()
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await itemNamed(page, 'new name.txt').waitFor({ state: 'detached' })
  await t.rejects(read('edited/new name.txt'))
  await page.getByRole('link', { name: 'other.txt' }).click()
  const open = page.getByRole('main', { name: 'other.txt' })
  await open.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByLabel('New name').fill('open.txt')
  await page.keyboard.press('Enter')
  await page.getByRole('main', { name: 'open.txt' }).getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('main', { name: 'open.txt' }).waitFor({ state: 'detached' })
  await itemNamed(page, 'open.txt').waitFor({ state: 'detached' })
  await choose(page, [file('sent.txt', 'sent')])
  await sent.getByRole('heading', { name: '1 file sent' }).waitFor()
  await itemNamed(page, 'sent.txt').waitFor()
})

t.test('a link for viewing offers no download', async (t) => {
  const address = await started
  const page = await openPage(t)
  const { hash } = await createShare(address, '/pictures/', { rights: 'view' })
  await page.goto(`${address}/share/${hash}/a.png`)
  const picture = page.getByRole('img', { name: 'a.png' })
  await picture.waitFor()
  await picture.evaluate((one: HTMLImageElement) => one.decode())
  t.equal(await picture.evaluate((one: HTMLImageElement) => one.naturalWidth), 300)
  t.match(await picture.getAttribute('src'), /\/preview\/big\//, 'a smaller version, not the file')
  for (const [place, heading] of [
    ['/shown/', 'shown'],
    ['/shown/old.txt', 'old.txt'],
  ] as const) {
    const { hash } = await createShare(address, place, { rights: 'view', message: 'Only to look at' })
    await page.goto(`${address}/share/${hash}`)
    await page.getByRole('heading', { name: heading }).waitFor()
    await page.getByText('Only to look at').waitFor()
    t.equal(await page.getByRole('link', { name: /^Download/ }).count(), 0, place)
    t.equal(await page.getByRole('img', { name: 'QR code for the download' }).count(), 0, place)
    t.equal(await page.getByRole('button', { name: /^Download/ }).count(), 0, place)
    t.same(await violations(page), [], place)
  }
})

t.test('a link to a file whose downloads are used up says so', async (t) => {
  const address = await started
  const { hash } = await createShare(address, '/shown/old.txt', { maxDownloads: 1 })
  const page = await openPage(t)
  await page.goto(`${address}/share/${hash}`)
  await page.getByText('1 download left').waitFor()
  await fetch(`${address}/api/public/dl/${hash}`).then((answer) => answer.text())
  await page.reload()
  await page.getByText('All downloads are used').waitFor()
  t.equal(await page.getByRole('link', { name: /^Download/ }).count(), 0)
  t.same(await violations(page), [])
})
