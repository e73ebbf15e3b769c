import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { encode } from 'uqr'
import { asPng, plain } from '#src/testing/pictures.ts'
import * as browser from '#web/testing/browser.ts'
import { createShare } from '#web/testing/link.ts'
import { chooseNew } from '#web/testing/places.ts'
import { changeResponses, delayResponses } from '#web/testing/responses.ts'

const { closeBrowser, currentName, downloadedBytes, itemNamed, openPage, selectedNames, serve, violations } =
  browser

t.teardown(closeBrowser)

const picture = (n = 0) => asPng(plain(300, 200, [n, 120, 200]))

/** A second of silence as WAV with 8000 samples of one byte. Browsers play it under any name. */
const sound = Buffer.concat([
  Buffer.from(
    'RIFF\x64\x1f\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x40\x1f\0\0',
    'latin1',
  ),
  Buffer.alloc(8000, 128),
])

const files = {
  'a b#?.txt': 'shared words',
  docs: {
    'x.png': picture(),
    'y z.txt': 'inside',
    'tone.wav': sound,
    deep: { 'end.bin': '123' },
  },
  gallery: {
    '1.png': picture(1),
    '2.txt': 'a text is passed by',
    '3.mp4': sound,
    '3.de.srt': '1\n00:00:00,000 --> 00:00:01,000\nGuten Tag\n',
    '4.png': picture(4),
    '5.bin': 'blob\0',
    'read me.md': '# Welcome\n\n[the folder](sub/) ![a picture](1.png)',
    sub: { 'in.txt': 'deeper' },
  },
  empty: {},
}

interface Visit {
  password?: string
  /** The test changes settings, so it needs its own server. */
  isOwn?: boolean
  width?: number
  /** The visitor has an account and is signed in. */
  isSignedIn?: boolean
}

/** The server of all tests that change nothing except shares. */
const common = serve(t, t.testdir(files))

/** A user who shares `shared`, and a visitor who opens the share. */
async function visitor(t: Test, shared: string, options: Visit = {}) {
  const address = options.isOwn ? await serve(t, t.testdir(files)) : await common
  const { password, width = 1280, isSignedIn } = options
  const { hash, token } = await createShare(address, shared, { password })
  const page = await openPage(t, { viewport: { width, height: 800 } })
  if (isSignedIn) {
    await page.goto(`${address}/api/docs`)
    await page.evaluate((token) => localStorage.setItem('jwt', token), token)
  }
  await page.goto(`${address}/share/${hash}`)
  return { page, address, hash, token }
}

/** Whether the page shows the QR code of `text`. */
async function showsCode(page: Page, text: string): Promise<boolean> {
  const { data } = encode(text, { ecc: 'M', boostEcc: false, border: 2 })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  const code = page.getByRole('img', { name: 'QR code for the download' }).locator('path')
  return (await code.getAttribute('d')) === dots.join('')
}

async function saved(page: Page, link: string): Promise<{ name: string; bytes: Buffer }> {
  const pending = page.waitForEvent('download')
  await page.getByRole('link', { name: link }).click()
  const download = await pending
  return { name: download.suggestedFilename(), bytes: await downloadedBytes(download) }
}

/** The text in the read-only editor. */
const textOf = (page: Page, name: string) => page.getByRole('textbox', { name })

/** Downloads the selection as an archive in the format. */
async function savedChoice(page: Page, format: string): Promise<{ name: string; bytes: Buffer }> {
  await page
    .getByRole('toolbar', { name: 'Actions' })
    .getByRole('button', { name: /^Download/ })
    .click()
  const pending = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: format, exact: true }).click()
  const download = await pending
  return { name: download.suggestedFilename(), bytes: await downloadedBytes(download) }
}

t.test('a visitor opens a share of a file, views and downloads the file', async (t) => {
  const { page, address, hash } = await visitor(t, '/a b#?.txt')
  await page.getByRole('heading', { name: 'a b#?.txt' }).waitFor()
  await page.getByText('12 bytes').waitFor()
  await textOf(page, 'a b#?.txt').getByText('shared words').waitFor()
  const code = page.getByRole('img', { name: 'QR code for the download' })
  t.same(await code.boundingBox().then((box) => [box?.width, box?.height]), [200, 200])
  t.equal(
    await page.getByRole('link', { name: 'Download file' }).getAttribute('href'),
    `/api/public/dl/${hash}/a%20b%23%3F.txt`,
  )
  const { bytes } = await saved(page, 'Download file')
  t.equal(bytes.toString(), 'shared words')
  t.equal(await page.getByRole('link', { name: 'My files' }).count(), 0, 'no links to other pages')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Username').waitFor()
  t.equal(page.url(), `${address}/login?redirect=${encodeURIComponent(`/share/${hash}`)}`)
})

t.test('a visitor browses a shared folder and downloads all or part of it', async (t) => {
  const { page } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await page.getByText('1 folder, 3 files').first().waitFor()
  await page.getByLabel('Format').selectOption('tar')
  t.equal((await saved(page, 'Download folder')).name, 'docs.tar')
  await itemNamed(page, 'y z.txt').locator('[data-check]').click()
  const pending = page.waitForEvent('download')
  await page.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name: 'Download' }).click()
  t.equal((await downloadedBytes(await pending)).toString(), 'inside', 'a single file is not archived')
  await itemNamed(page, 'x.png').locator('[data-check]').click()
  t.strictSame(await selectedNames(page), ['x.png', 'y z.txt'])
  t.equal((await savedChoice(page, '.tar')).bytes.includes('end.bin'), false)
  await page.keyboard.press('Control+a')
  t.equal((await savedChoice(page, '.tar')).bytes.includes('end.bin'), true)
  await page.keyboard.press('Escape')
  t.strictSame(await selectedNames(page), [])
  await page.getByRole('link', { name: 'x.png' }).click()
  const image = page.getByRole('img', { name: 'x.png' })
  await image.waitFor()
  t.equal(await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)), 300)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'deep' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'y z.txt' }).click()
  await textOf(page, 'y z.txt').getByText('inside').waitFor()
})

t.test('a shared folder can be downloaded in nine archive formats, whole or in part', async (t) => {
  const { page } = await visitor(t, '/docs/')
  const formats = page.getByLabel('Format').locator('option')
  const extensions = '.zip .tar .tar.gz .tar.bz2 .tar.xz .tar.lz4 .tar.sz .tar.zst .tar.br'.split(' ')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  t.strictSame(await formats.allTextContents(), extensions)
  for (const extension of ['.tar.zst', '.tar.br']) {
    await page.getByLabel('Format').selectOption({ label: extension })
    t.equal((await saved(page, 'Download folder')).name, `docs${extension}`)
  }
  await itemNamed(page, 'deep').locator('[data-check]').click()
  await itemNamed(page, 'x.png').locator('[data-check]').click()
  for (const extension of extensions) t.equal((await savedChoice(page, extension)).name, `docs${extension}`)
})

t.test('a shared folder of 100,000 entries renders only visible rows and scrolls to its end', async (t) => {
  const { page } = await visitor(t, '/docs/')
  await page.getByRole('link', { name: 'x.png' }).waitFor()
  const items = Array.from({ length: 100_000 }, (_, n) => ({
    ...{
      index: n,
      name: `${n}.txt`,
      path: `/${n}.txt`,
      isDir: false,
      size: 1,
      type: 'text',
      extension: '.txt',
    },
    ...{ url: `/share/x/${n}.txt`, modified: new Date(0).toISOString() },
  }))
  await changeResponses(page, '**/api/public/share/**', (body) => {
    return { ...body, items, numDirs: 0, numFiles: items.length }
  })
  await page.reload()
  await page.getByRole('link', { name: '0.txt', exact: true }).waitFor()
  t.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), '100002')
  t.ok((await page.locator('[data-part=row]').count()) < 100, 'only visible rows are in the document')
  await page.keyboard.press('End')
  await itemNamed(page, '99999.txt').waitFor()
  t.equal(await currentName(page), '99999.txt')
  t.ok((await page.locator('[data-part=row]').count()) < 100)
})

t.test(
  'a shared folder is shown as list or mosaic, with thumbnails, and the device stores the choice',
  async (t) => {
    const { page } = await visitor(t, '/gallery/')
    await page.getByRole('button', { name: 'Show as mosaic' }).click()
    const faces = page.locator('[data-part=face] img')
    await faces.nth(1).waitFor()
    t.strictSame(
      await faces.evaluateAll((all) =>
        Promise.all(
          all.map((one) =>
            (one as HTMLImageElement).decode().then(() => (one as HTMLImageElement).naturalWidth),
          ),
        ),
      ),
      [300, 300],
    )
    await page.reload()
    await page.locator('[data-part=card]').first().waitFor()
    t.same(await violations(page), [])
  },
)

t.test('a visitor sorts a shared folder by each column', async (t) => {
  const { page } = await visitor(t, '/gallery/')
  await page.getByRole('link', { name: '5.bin' }).waitFor()
  const isAt = (index: number, name: string) =>
    page.locator(`[data-index="${index}"]`).getByRole('link', { name, exact: true }).waitFor()
  await isAt(1, '1.png')
  await page.getByRole('button', { name: 'Name' }).click()
  await isAt(1, 'read me.md')
  await isAt(7, '1.png')
  await page.getByRole('button', { name: 'Size' }).click()
  await isAt(1, '5.bin')
  await page.getByRole('link', { name: 'sub' }).click()
  await itemNamed(page, 'in.txt').waitFor()
  t.equal(
    await page.locator('[aria-sort=ascending]').textContent(),
    'Size',
    'the sort order is kept while the share is open',
  )
})

t.test('previous and next work in a shared folder by button and key', async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/')
  await page.getByRole('link', { name: '1.png' }).click()
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  await heading('1.png')
  await page.getByText('1 of 4').waitFor()
  t.ok(await page.getByRole('button', { name: 'Previous' }).isDisabled())
  await page.getByRole('button', { name: 'Next' }).click()
  await heading('3.mp4')
  t.equal(page.url(), `${address}/share/${hash}/3.mp4`)
  await page.getByRole('button', { name: 'Next' }).click()
  await heading('4.png')
  await page.keyboard.press('ArrowRight')
  await heading('5.bin')
  await page.keyboard.press('ArrowLeft')
  await heading('4.png')
  t.same(await violations(page), [])
  for (const name of ['Rename', 'Delete', 'Info', 'Share', 'Search', 'Save'])
    t.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  await page.keyboard.press('Escape')
  await page.getByRole('grid', { name: 'Files' }).waitFor()
  t.equal(await currentName(page), '4.png', 'the file that was open is the current item')
  await page.goto(`${address}/share/${hash}/3.mp4`)
  await page.getByText('2 of 4').waitFor()
})

t.test('a shared film has its subtitles, and a shared Markdown text its pictures', async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/')
  await page.getByRole('link', { name: '3.mp4' }).click()
  await page.waitForFunction(() => (document.querySelector('video')?.textTracks[0]?.cues?.length ?? 0) > 0)
  await page.goto(`${address}/share/${hash}/read%20me.md`)
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  const image = page.getByRole('img', { name: 'a picture' })
  await image.waitFor()
  t.equal(await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)), 300)
  t.equal(await page.getByRole('link', { name: 'the folder' }).getAttribute('href'), `/share/${hash}/sub/`)
  t.same(await violations(page), [])
})

t.test('an empty shared folder shows a message', async (t) => {
  const { page } = await visitor(t, '/empty/')
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'New', exact: true }).count(), 0)
  t.same(await violations(page), [])
})

t.test('a signed-in user who opens a share keeps the common layout, visitors get a plain one', async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/', { isSignedIn: true })
  const side = page.locator('[data-part=side]')
  await itemNamed(page, '1.png').waitFor()
  await side.getByRole('link', { name: 'My files' }).waitFor()
  await side.getByRole('button', { name: 'Account: ann' }).waitFor()
  t.same(await violations(page), [])
  for (const key of ['Delete', 'F2', 'Control+x']) await page.keyboard.press(key)
  t.equal(await page.getByRole('dialog').count(), 0, 'a share cannot be changed')
  await itemNamed(page, '4.png').dblclick()
  await page.getByRole('heading', { name: '4.png' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await side.getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'docs').waitFor()
  t.equal(
    await page.getByRole('link', { name: '1.png' }).count(),
    0,
    'the user can return to their own files',
  )
  await itemNamed(page, 'a b#?.txt').dblclick()
  await page.getByRole('heading', { name: 'a b#?.txt' }).waitFor()
  t.equal(page.url(), `${address}/files/a%20b%23%3F.txt`)
  await page.evaluate(() => localStorage.clear())
  await page.goto(`${address}/share/${hash}`)
  await itemNamed(page, '1.png').waitFor()
  t.equal(await page.locator('[data-part=side]').count(), 0)
  await page.goto(`${address}/share/nothing`)
  await page.getByRole('alert').getByText("This link doesn't exist or has expired.").waitFor()
})

t.test("an action started in the user's own files does not affect a share opened meanwhile", async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/', { isSignedIn: true, isOwn: true })
  await page.locator('[data-part=side]').getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'docs').waitFor()
  const made = await delayResponses(page, '**/api/resources/new/', 'POST')
  await chooseNew(page, 'New folder')
  await page.getByRole('dialog').getByLabel('Name').fill('new')
  await page.keyboard.press('Enter')
  await made.waitForCalls()
  await page.evaluate((url) => history.pushState(null, '', url), `/share/${hash}`)
  await itemNamed(page, '1.png').waitFor()
  made.release()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await itemNamed(page, '4.png').dblclick()
  await page.getByRole('heading', { name: '4.png' }).waitFor()
  t.equal(page.url(), `${address}/share/${hash}/4.png`)
})

t.test('F1 opens the help in a share of a file and in a broken share', async (t) => {
  const { page, address } = await visitor(t, '/a b#?.txt')
  await page.getByRole('link', { name: 'Download file' }).waitFor()
  for (const at of [undefined, `${address}/share/nothing`]) {
    if (at) await page.goto(at)
    if (at) await page.getByRole('alert').getByText("This link doesn't exist or has expired.").waitFor()
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Delete')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Delete')
    t.equal(await page.getByText("You don't have permission for this").count(), 0, 'a visitor has no account')
  }
})

t.test('a Markdown text that is shared alone has no links to other files', async (t) => {
  const { page } = await visitor(t, '/gallery/read me.md')
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'the folder' }).count(), 0)
  t.equal(await page.getByRole('img', { name: 'a picture' }).count(), 0)
})

t.test('the page of a share requests sort order and subtitles in its own language', async (t) => {
  const { page } = await visitor(t, '/gallery/', { isSignedIn: true, isOwn: true })
  await itemNamed(page, '1.png').waitFor()
  await browser.changePreferences(page, { locale: 'de' })
  const asked = page.waitForRequest('**/api/public/share/**')
  await page.reload()
  t.equal((await asked).headers()['accept-language'], 'de')
})

t.test('a shared folder can be used by keyboard alone', async (t) => {
  const { page } = await visitor(t, '/gallery/')
  await itemNamed(page, '1.png').waitFor()
  for (let n = 0; n < 30 && !(await page.evaluate(() => document.activeElement?.role === 'grid')); n++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  t.strictSame(await selectedNames(page), ['1.png'])
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'in.txt').waitFor()
  await page.keyboard.press('Backspace')
  await itemNamed(page, '1.png').waitFor()
  t.equal(await currentName(page), 'sub')
})

t.test('a share with a password opens with that password', async (t) => {
  const { page } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.getByLabel('Password').fill('guess')
  await page.keyboard.press('Enter')
  const wrong = page.getByText('Wrong password')
  await wrong.waitFor()
  const [red, grey] = await wrong.evaluate((one) => {
    const shown = getComputedStyle(one)
    const other = document.createElement('i')
    one.append(other)
    other.style.color = 'var(--danger)'
    return [
      shown.color === getComputedStyle(other).color,
      shown.color === getComputedStyle(document.body).color,
    ]
  })
  t.same([red, grey], [true, false], 'the refusal has the colour of errors')
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Show as mosaic' }).click()
  await page.locator('[data-part=face] img').waitFor()
  await page.getByRole('link', { name: 'y z.txt' }).click()
  await textOf(page, 'y z.txt').getByText('inside').waitFor()
  const pending = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  t.equal((await downloadedBytes(await pending)).toString(), 'inside')
})

t.test('any number of items can be downloaded with a short archive address', async (t) => {
  const { page, address } = await visitor(t, '/docs/')
  const download = page.getByRole('link', { name: 'Download folder' })
  t.ok(await showsCode(page, new URL((await download.getAttribute('href')) ?? '', address).href))
  const items = Array.from({ length: 800 }, (_, n) => ({
    ...{
      index: n,
      name: `${n} ${'long '.repeat(12)}.txt`,
      path: `/${n}`,
      isDir: false,
      size: 1,
      type: 'text',
    },
    ...{ url: '', modified: new Date().toISOString() },
  }))
  await changeResponses(page, '**/api/public/share/**', (body) => ({ ...body, items }))
  await page.reload()
  await page.getByRole('link', { name: items[0]?.name ?? '', exact: true }).waitFor()
  await page.keyboard.press('Control+a')
  const statuses: number[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/api/public/selection')) statuses.push(response.status())
  })
  await page
    .getByRole('toolbar', { name: 'Actions' })
    .getByRole('button', { name: /^Download/ })
    .click()
  const pending = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: '.zip', exact: true }).click()
  t.match((await pending).url(), /\?algo=zip&selection=[\w-]{22}$/)
  t.strictSame(statuses, [200, 200], 'a visitor sends at most 64 KiB per request')
})

t.test('the QR code of a share with a password opens the page that is shown', async (t) => {
  const { page, address, hash } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'y z.txt' }).waitFor()
  t.ok(await showsCode(page, `${address}/share/${hash}`))
  await page.getByRole('link', { name: 'deep' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  t.ok(await showsCode(page, `${address}/share/${hash}/deep/`))
})

t.test('a share asks for the password again after an hour', async (t) => {
  const { page } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.clock.install()
  await page.reload()
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  const download = page.getByRole('link', { name: 'Download folder' })
  await download.waitFor()
  await page.clock.fastForward('00:40:00')
  await page.getByRole('link', { name: 'deep' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  await page.clock.fastForward('00:20:00')
  await download.click()
  await page.getByRole('heading', { name: 'This link needs a password.' }).waitFor()
})

t.test('error pages of a share offer a link to continue', async (t) => {
  const { page, address, hash } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await page.goto(`${address}/share/${hash}/deep/gone.txt`)
  await page.getByRole('alert').getByText("This location can't be reached.").waitFor()
  await page.getByRole('link', { name: 'Back to the folder' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  await page.route('**/api/public/share/**', (route) => route.abort())
  await page.locator('[data-part=breadcrumbs] a').first().click()
  await page.getByRole('alert').getByText("Can't reach the server.").waitFor()
  await page.unroute('**/api/public/share/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'y z.txt' }).waitFor()
  await page.route('**/api/public/share/**', (route) =>
    route.fulfill({ status: 403, json: { code: 'path.forbidden' } }),
  )
  await page.reload()
  await page.getByRole('alert').getByText("This link doesn't exist or has expired.").waitFor()
})

t.test('a deleted share shows a clear message', async (t) => {
  const { page, address, hash, token } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await fetch(`${address}/api/share/${hash}`, { method: 'DELETE', headers: { 'X-Auth': token } })
  await page.reload()
  t.equal(await page.getByRole('alert').textContent(), "This link doesn't exist or has expired.")
  t.same(await violations(page), [])
})

t.test('a share offers sign-in and sign-up to visitors only if they are enabled', async (t) => {
  const { page, address, hash, token } = await visitor(t, '/docs/', { isOwn: true })
  const change = (body: object) =>
    fetch(`${address}/api/settings`, {
      method: 'PUT',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Sign up' }).count(), 0)
  await change({ signup: true, hideLoginButton: true })
  await page.reload()
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Confirm password').waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Sign in' }).count(), 0)
  await page.evaluate((token) => localStorage.setItem('jwt', token), token)
  await page.goto(`${address}/share/${hash}`)
  await page.getByRole('link', { name: 'My files' }).click()
  await page.getByRole('grid', { name: 'Files' }).waitFor()
})

t.test('a shared song can be played on the page', async (t) => {
  const { page } = await visitor(t, '/docs/')
  await page.getByRole('link', { name: 'tone.wav' }).click()
  const player = page.locator('audio')
  await player.waitFor()
  const seconds = await player.evaluate(
    (one: HTMLAudioElement) =>
      new Promise((resolve) => {
        if (one.readyState > 0 || one.error) resolve(one.error?.message ?? one.duration)
        one.addEventListener('loadedmetadata', () => resolve(one.duration))
        one.addEventListener('error', () => resolve(one.error?.message))
      }),
  )
  t.equal(seconds, 1)
  t.same(await violations(page), [])
})

t.test('a shared folder fits 390 pixels, light and dark', async (t) => {
  const { page } = await visitor(t, '/docs/', { width: 390 })
  await page.getByRole('link', { name: 'x.png' }).waitFor()
  t.same(await violations(page), [])
  await page.evaluate(() => Object.assign(document.documentElement.dataset, { theme: 'dark' }))
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'no horizontal overflow')
})
