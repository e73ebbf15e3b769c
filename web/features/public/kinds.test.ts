import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import {
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  testUser,
  violations,
  violationsInBothThemes,
  visibleNames,
} from '#web/testing/browser.ts'
import { createShare, type LinkOptions } from '#web/testing/link.ts'
import { silence } from '#web/testing/silence.ts'
import { startVisits } from '#web/testing/visitor.ts'

t.teardown(closeBrowser)

const picture = (n: number) => asPng(plain(300, 200, [n, 120, 200]))

const started = serve(
  t,
  t.testdir({
    trip: {
      'a.png': picture(1),
      'b.png': picture(2),
      'notes.txt': 'notes',
      'song.wav': silence(1),
      'cover.png': picture(200),
    },
    other: { 'c.txt': 'c', 'd.txt': 'secret' },
  }),
)

/** A visitor on a phone or at a desk. */
async function visit(t: Test, at: string, link: LinkOptions, width = 1280) {
  const address = await started
  const { hash } = await createShare(address, at, link)
  const page = await openPage(t, { viewport: { width, height: 844 } })
  /** The addresses of the requests for content. */
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto(`${address}/share/${hash}`)
  return { page, address, hash, asked }
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill(testUser.password)
  await page.keyboard.press('Enter')
}

async function fits(t: Test, page: Page, width: number): Promise<void> {
  t.same(await violationsInBothThemes(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), width)
}

t.test('a visitor sees who sent a link, its cover and its look, on a phone and at a desk', async (t) => {
  for (const width of [390, 1280]) {
    const { page } = await visit(
      t,
      '/trip/',
      {
        ...{ title: 'Our trip', message: 'Have fun!', from: 'Ann Lee', cover: '/trip/cover.png' },
        look: { view: 'gallery', theme: 'dark' },
      },
      width,
    )
    await page.getByRole('heading', { name: 'Our trip' }).waitFor()
    await page.getByText('Sent by Ann Lee').waitFor()
    await page.getByText('Have fun!').waitFor()
    t.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
    const cover = page.locator('[data-part=cover]')
    t.ok(await cover.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth > 0)))
    await page.locator('[data-part=face] img').nth(1).waitFor()
    t.equal(await page.getByRole('button', { name: 'Names' }).getAttribute('aria-pressed'), 'false')
    await fits(t, page, width)
    await page.getByRole('button', { name: 'Show as list' }).click()
    await page.locator('[data-part=row]').first().waitFor()
    // The device keeps what visitors choose for themselves, not what a sender has chosen.
    t.equal(await page.evaluate(() => localStorage.getItem('coffer.view')), 'list')
  }
})

t.test('looking at a link with a number of downloads uses up none of them', async (t) => {
  for (const width of [390, 1280]) {
    const { page, asked, hash } = await visit(t, '/trip/', { maxDownloads: 2 }, width)
    await page.getByText('2 downloads left').waitFor()
    await page.getByRole('link', { name: 'a.png' }).click()
    const shown = page.getByRole('img', { name: 'a.png' })
    t.ok(await shown.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth > 0)))
    await page.keyboard.press('ArrowRight')
    await page.getByRole('img', { name: 'b.png' }).waitFor()
    await page.keyboard.press('Escape')
    for (const name of ['notes.txt', 'song.wav']) {
      await page.getByRole('link', { name }).click()
      await page.getByRole('button', { name: 'Download', exact: true }).last().waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('grid', { name: 'Files' }).waitFor()
    }
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByText('2 downloads left').waitFor()
    t.same(
      asked.filter((one) => one.startsWith('/api/public/dl/')),
      [],
      'no original was loaded',
    )
    await fits(t, page, width)
    const pending = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download folder' }).click()
    await (await pending).path().catch(() => undefined)
    await page.reload()
    await page.getByText('1 download left').waitFor()
    t.ok(hash)
  }
})

t.test('a link that can only be viewed shows its pictures and their thumbnails', async (t) => {
  const { page, asked } = await visit(t, '/trip/', { rights: 'view', title: 'Only to see' }, 390)
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=face] img').nth(1).waitFor()
  await page.getByRole('link', { name: 'a.png' }).click()
  await page.getByRole('img', { name: 'a.png' }).waitFor()
  t.same(await violations(page), [])
  t.same(
    asked.filter((one) => one.startsWith('/api/public/dl/')),
    [],
  )
})

t.test('a link to several items shows only them', async (t) => {
  for (const width of [390, 1280]) {
    const { page } = await visit(t, '/', { paths: ['/trip/a.png', '/other/c.txt'] }, width)
    await page.getByRole('link', { name: 'trip' }).click()
    await itemNamed(page, 'a.png').waitFor()
    t.same(await visibleNames(page), ['a.png'])
    await page.goBack()
    await page.getByRole('link', { name: 'other' }).click()
    await itemNamed(page, 'c.txt').waitFor()
    t.same(await visibleNames(page), ['c.txt'])
    await fits(t, page, width)
  }
})

t.test('a link for certain people asks for a sign-in, and comes back', async (t) => {
  for (const width of [390, 1280]) {
    const { page, address, hash } = await visit(t, '/trip/', { people: [testUser.name] }, width)
    await page.getByRole('alert').getByText('This link is only for certain people.').waitFor()
    await fits(t, page, width)
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await signIn(page)
    await itemNamed(page, 'a.png').waitFor()
    t.equal(page.url(), `${address}/share/${hash}`)
    await itemNamed(page, 'a.png').dblclick()
    const shown = page.getByRole('img', { name: 'a.png' })
    t.ok(await shown.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth > 0)))
  }
})

t.test('a user for whom a link is not stays signed in', async (t) => {
  const { page, address, token } = await startVisits(t)(t, '/docs/', { isOwn: true })
  const call = (at: string, body: object, auth = token) =>
    fetch(address + at, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': auth },
    })
  const password = 'some other long passphrase'
  await call('/api/users', { what: 'user', which: [], data: { username: 'bob', password, scope: '/' } })
  const link = (await (await call('/api/share/docs/', { people: [testUser.name] })).json()) as {
    hash: string
  }
  const jwt = await (await call('/api/login', { username: 'bob', password })).text()
  await page.evaluate((jwt) => localStorage.setItem('jwt', jwt), jwt)
  await page.goto(`${address}/share/${link.hash}`)
  await page.getByRole('alert').getByText('This link is for other people.').waitFor()
  await page.getByText('You are signed in as bob.').waitFor()
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => localStorage.getItem('jwt')), jwt)
})

t.test('a link that cannot be used now shows one calm page, whatever the reason', async (t) => {
  const address = await started
  const states: LinkOptions[] = [{ paused: true }, { starts: '2099-01-01T00:00:00Z' }]
  const page = await openPage(t, { viewport: { width: 390, height: 844 } })
  for (const state of states) {
    const { hash } = await createShare(address, '/trip/', state)
    await page.goto(`${address}/share/${hash}`)
    await page.getByRole('alert').getByText("This link doesn't exist or has expired.").waitFor()
    await page.getByText('It may also be paused, or start later.').waitFor()
    await page.getByText('Ask the person who sent it for a new link.').waitFor()
  }
  await fits(t, page, 390)
  const full = await createShare(address, '/trip/', { maxVisitors: 1, title: 'For one' })
  await fetch(`${address}/api/public/share/${full.hash}`)
  await page.goto(`${address}/share/${full.hash}`)
  await page.getByRole('heading', { name: 'For one' }).waitFor()
})

t.test('a link that receives files has the look and the cover of its owner', async (t) => {
  for (const width of [390, 1280]) {
    const link = {
      rights: 'upload',
      from: 'Ann Lee',
      cover: '/trip/cover.png',
      look: { theme: 'dark' },
    } as const
    const { page } = await visit(t, '/other/', link, width)
    await page.getByText('Sent by Ann Lee').waitFor()
    t.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
    t.ok(
      await page
        .locator('[data-part=cover]')
        .evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth > 0)),
    )
    await fits(t, page, width)
  }
})
