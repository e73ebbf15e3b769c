import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { encode } from 'uqr'
import { closeBrowser, openPage, person, serve, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)

/** A second of silence: 8000 samples of a byte each. */
const sound = Buffer.concat([
  Buffer.from(
    'RIFF\x64\x1f\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x40\x1f\0\0',
    'latin1',
  ),
  Buffer.alloc(8000, 128),
])

/** A server whose person shares `shared`, and a stranger who opens the link. */
async function visitor(t: Test, shared: string, options: { password?: string; width?: number } = {}) {
  const root = t.testdir({
    'a b#?.txt': 'shared words',
    docs: {
      'x.png': picture,
      'y z.txt': 'inside',
      'tone.wav': sound,
      'letter.pdf': '<!doctype html><script>parent.document.title = "broken"</script>',
      deep: { 'end.bin': '123' },
    },
  })
  const address = await serve(t, root)
  const call = (at: string, body: object, token = '') =>
    fetch(address + at, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  const login = await call('/api/login', { username: person.name, password: person.password })
  const token = await login.text()
  const { password, width = 1280 } = options
  const made = await call(
    `/api/share${encodeURI(shared).replace(/[#?]/g, encodeURIComponent)}`,
    { password },
    token,
  )
  const { hash } = (await made.json()) as { hash: string }
  const page = await openPage(t, { viewport: { width, height: 800 } })
  await page.goto(`${address}/share/${hash}`)
  return { page, address, hash, token }
}

/** Whether the page shows the QR code of `text`. */
async function showsCode(page: Page, text: string): Promise<boolean> {
  const { data } = encode(text, { ecc: 'M', boostEcc: false, border: 2 })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  const code = page.getByRole('img', { name: 'QR code of the download' }).locator('path')
  return (await code.getAttribute('d')) === dots.join('')
}

async function saved(page: Page, link: string): Promise<{ name: string; bytes: Buffer }> {
  const coming = page.waitForEvent('download')
  await page.getByRole('link', { name: link }).click()
  const download = await coming
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

t.test('a stranger opens a link to a file, sees it, and has it', async (t) => {
  const { page, address, hash } = await visitor(t, '/a b#?.txt')
  await page.getByRole('heading', { name: 'a b#?.txt' }).waitFor()
  await page.getByText('12 bytes').waitFor()
  t.equal(await page.getByRole('document', { name: 'a b#?.txt' }).textContent(), 'shared words')
  const code = page.getByRole('img', { name: 'QR code of the download' })
  t.same(await code.boundingBox().then((box) => [box?.width, box?.height]), [200, 200])
  t.equal(
    await page.getByRole('link', { name: 'Download file' }).getAttribute('href'),
    `/api/public/dl/${hash}/a%20b%23%3F.txt`,
  )
  const { bytes } = await saved(page, 'Download file')
  t.equal(bytes.toString(), 'shared words')
  t.equal(await page.getByRole('link', { name: 'Settings' }).count(), 0, 'nothing of the product around it')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Username').waitFor()
  t.equal(page.url(), `${address}/login?redirect=${encodeURIComponent(`/share/${hash}`)}`)
})

t.test('a shared folder is looked into, and had whole or in part', async (t) => {
  const { page } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await page.getByText('1 folder, 4 files').waitFor()
  await page.getByLabel('Kind of archive').selectOption('tar')
  t.equal((await saved(page, 'Download folder')).name, 'docs.tar')
  await page.getByLabel('Select y z.txt').check()
  await page.getByText('Only what is selected').waitFor()
  t.equal((await saved(page, 'Download folder')).bytes.toString(), 'inside', 'one file is no archive')
  const all = page.getByLabel('Select all')
  t.ok(await all.evaluate((box: HTMLInputElement) => box.indeterminate), 'neither all nor none')
  await page.getByLabel('Select x.png').check()
  t.equal((await saved(page, 'Download folder')).bytes.includes('end.bin'), false)
  await all.check()
  t.equal((await saved(page, 'Download folder')).bytes.includes('end.bin'), true)
  await all.uncheck()
  t.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
  await page.getByRole('link', { name: 'x.png' }).click()
  const image = page.getByRole('img', { name: 'x.png' })
  await image.waitFor()
  t.equal(await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)), 2)
  await page.getByRole('link', { name: 'Back to the folder' }).click()
  await page.getByRole('link', { name: 'deep' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'y z.txt' }).click()
  t.equal(await page.getByRole('document', { name: 'y z.txt' }).textContent(), 'inside')
})

t.test('a link with a password opens for who knows it', async (t) => {
  const { page } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.getByLabel('Password').fill('guess')
  await page.keyboard.press('Enter')
  await page.getByText('Wrong password').waitFor()
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'y z.txt' }).click()
  t.equal(await page.getByRole('document', { name: 'y z.txt' }).textContent(), 'inside')
  t.equal((await saved(page, 'Download file')).bytes.toString(), 'inside')
})

t.test('any number of things can be chosen; the code leads to where they are', async (t) => {
  const { page, address, hash } = await visitor(t, '/docs/')
  const download = page.getByRole('link', { name: 'Download folder' })
  t.ok(await showsCode(page, new URL((await download.getAttribute('href')) ?? '', address).href))
  const items = Array.from({ length: 800 }, (_, n) => ({
    ...{ index: n, name: `${n} ${'long '.repeat(12)}.txt`, isDir: false, size: 1, type: 'text' },
    ...{ url: '', modified: new Date().toISOString() },
  }))
  await page.route('**/api/public/share/**', async (route) => {
    const answer = (await (await route.fetch()).json()) as object
    await route.fulfill({ json: { ...answer, items } })
  })
  await page.reload()
  await page.getByLabel('Select all').check()
  t.notMatch(await download.getAttribute('href'), /files=/, 'all is all, whatever it is called')
  await page.getByLabel(`Select ${items[0]?.name}`).uncheck()
  const href = (await download.getAttribute('href')) ?? ''
  t.ok(href.length > 2331 && href.includes('files='))
  const kept: number[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/api/public/selection')) kept.push(response.status())
  })
  const coming = page.waitForEvent('download')
  await download.click()
  t.match((await coming).url(), /\?algo=zip&selection=[\w-]{22}$/, 'the address is short, whatever is chosen')
  t.strictSame(kept, [200, 200], 'a visitor sends at most 64 KiB at once')
  t.ok(await showsCode(page, `${address}/share/${hash}`))
})

t.test('where a password is set, the code leads to the page of what is shown', async (t) => {
  const { page, address, hash } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'y z.txt' }).waitFor()
  t.ok(await showsCode(page, `${address}/share/${hash}`))
  await page.getByRole('link', { name: 'y z.txt' }).click()
  await page.getByRole('link', { name: 'Download file' }).waitFor()
  t.ok(await showsCode(page, `${address}/share/${hash}/y%20z.txt`))
})

t.test('what a password has opened is asked for again when its hour is over', async (t) => {
  const { page } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.clock.install()
  await page.reload()
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  const download = page.getByRole('link', { name: 'Download folder' })
  await download.waitFor()
  await page.clock.fastForward('01:00:00')
  await page.route('**/api/public/share/**', (route) =>
    route.fulfill({ status: 401, json: { code: 'share.password' } }),
  )
  await download.click()
  await page.getByRole('heading', { name: 'This link asks for a password.' }).waitFor()
})

t.test('a visitor who gets no further finds a way on', async (t) => {
  const { page, address, hash } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await page.goto(`${address}/share/${hash}/deep/gone.txt`)
  await page.getByRole('alert').getByText("This location can't be reached.").waitFor()
  await page.getByRole('link', { name: 'Back to the folder' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  await page.route('**/api/public/share/**', (route) => route.abort())
  await page.getByRole('link', { name: 'Back to the folder' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
  await page.unroute('**/api/public/share/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'y z.txt' }).waitFor()
  await page.route('**/api/public/share/**', (route) =>
    route.fulfill({ status: 403, json: { code: 'path.forbidden' } }),
  )
  await page.reload()
  await page.getByRole('alert').getByText('This link does not exist or has ended.').waitFor()
})

t.test('a link that is over is told kindly', async (t) => {
  const { page, address, hash, token } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await fetch(`${address}/api/share/${hash}`, { method: 'DELETE', headers: { 'X-Auth': token } })
  await page.reload()
  t.equal(await page.getByRole('alert').textContent(), 'This link does not exist or has ended.')
  t.same(await violations(page), [])
})

t.test('strangers find the way to an account where they may have one, and none where not', async (t) => {
  const { page, address, hash, token } = await visitor(t, '/docs/')
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

t.test('a shared PDF is shown where it is, as a PDF and nothing else', async (t) => {
  const { page } = await visitor(t, '/docs/')
  await page.getByRole('link', { name: 'letter.pdf' }).click()
  const frame = page.locator('iframe[title="letter.pdf"]')
  await frame.waitFor()
  const source = (await frame.getAttribute('src')) ?? ''
  t.match(source, /^blob:http/)
  t.equal(await page.title(), 'letter.pdf – Coffer', 'what only claims to be one does nothing')
})

t.test('a shared song plays where it is', async (t) => {
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

t.test("a shared folder stands in nobody's way, light and dark, at 390 pixels", async (t) => {
  const { page } = await visitor(t, '/docs/', { width: 390 })
  await page.getByRole('link', { name: 'x.png' }).waitFor()
  t.same(await violations(page), [])
  await page.evaluate(() => Object.assign(document.documentElement.dataset, { theme: 'dark' }))
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
})
