import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, openPage, serve, start, testUser, violations } from '#web/testing/browser.ts'
import { createShare } from '#web/testing/link.ts'

t.teardown(closeBrowser)

const viewport = { width: 390, height: 800 }

/** Switches the page to right-to-left text. */
async function turn(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
}

/** Whether the page has no horizontal overflow. */
const fitsWidth = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth === innerWidth)

t.test('the settings can be read from right to left', async (t) => {
  const { page, address } = await start(t, {}, { viewport, path: '/settings/global' })
  const screens: [path: string, heading: string][] = [
    ['/settings/global', 'Advanced'],
    ['/settings/profile', 'Change password'],
    ['/settings/users', 'Users'],
    ['/settings/users/1', `Edit ${testUser.name}`],
  ]
  for (const [path, heading] of screens) {
    await page.goto(address + path)
    await page.getByRole('heading', { name: heading }).waitFor()
    await turn(page)
    t.same(await violations(page), [], path)
    t.ok(await fitsWidth(page), path)
  }
  t.equal(
    await page.getByLabel('Home folder', { exact: true }).getAttribute('dir'),
    'ltr',
    'a path is always read from left to right',
  )
  await page.getByRole('button', { name: 'Add rule' }).click()
  const [box, field] = await Promise.all([
    page.getByLabel('Regex').boundingBox(),
    page.getByLabel('Path').boundingBox(),
  ])
  t.ok((box?.x ?? 0) > (field?.x ?? 0), 'the first element is on the right')
})

t.test('the sign-in page and shares can be read from right to left', async (t) => {
  const address = await serve(t, t.testdir({ docs: { 'notes.txt': 'x' } }))
  const { hash } = await createShare(address, '/docs/')
  const page = await openPage(t, { viewport, colorScheme: 'dark' })
  for (const path of ['/login', `/share/${hash}`, `/share/${hash}/notes.txt`, '/share/nothing']) {
    await page.goto(address + path)
    await page.getByRole('heading').first().waitFor()
    await turn(page)
    t.same(await violations(page), [], path)
    t.ok(await fitsWidth(page), path)
  }
  await page.goto(`${address}/share/${hash}`)
  const format = page.getByLabel('Format')
  await format.waitFor()
  await turn(page)
  const arrow = page.locator('select + svg')
  const [box, mark] = await Promise.all([format.boundingBox(), arrow.boundingBox()])
  t.ok(
    (mark?.x ?? 0) > (box?.x ?? 0) + (box?.width ?? 0) / 2,
    'the arrow does not cover the name of the format',
  )
})
