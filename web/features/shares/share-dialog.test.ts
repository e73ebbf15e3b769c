import t from 'tap'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

t.test('creates a share, copies its link, shows its QR code and deletes it', async (t) => {
  const { page } = await start(
    t,
    { 'a b#?.txt': 'a' },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
  await itemNamed(page, 'a b#?.txt').click()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  const choices = dialog.getByLabel('Expires').locator('option')
  const offered = ['Never', 'In 1 hour', 'In 1 day', 'In 7 days', 'In 30 days', 'After a time', 'On a date']
  await choices.last().waitFor({ state: 'attached' })
  t.same(await choices.allTextContents(), offered)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('link', { name: 'Permanent link' }).waitFor()
  t.same(await choices.allTextContents(), offered)
  await dialog.getByText('A permanent link already exists. A second one needs a password.').waitFor()
  t.equal(await dialog.getByLabel('Expires').inputValue(), 'never', 'the choice stays')
  t.ok(await dialog.getByRole('button', { name: 'Create link' }).isDisabled())
  await dialog.getByRole('button', { name: 'Copy link' }).click()
  await noticed(page, 'Link copied!')
  const address = await dialog.getByRole('link', { name: 'Permanent link' }).getAttribute('href')
  t.match(address, /^http:\/\/.*\/share\/[\w-]{20,}$/)
  t.equal(await page.evaluate(() => navigator.clipboard.readText()), address)
  await dialog.getByRole('button', { name: 'QR code' }).click()
  await dialog.getByRole('img', { name: 'QR code for the link' }).waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByRole('button', { name: 'Delete link' }).click()
  await noticed(page, 'Link deleted.')
  await dialog.getByRole('link').waitFor({ state: 'detached' })
  t.ok(await dialog.evaluate((one) => one.contains(document.activeElement)), 'the focus stays in the dialog')
})

t.test(
  'what the user has shared has a mark in the list and in the mosaic, until the link ends',
  async (t) => {
    const { page } = await start(t, { docs: {}, 'a.txt': 'a' })
    const mark = (name: string) => itemNamed(page, name).getByRole('img', { name: 'Shared' })
    await itemNamed(page, 'docs').click()
    await page.getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('link').waitFor()
    const close = async () => {
      await dialog.getByRole('button', { name: 'Close' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await close()
    await mark('docs').waitFor()
    t.equal(await mark('a.txt').count(), 0)
    t.same(await violations(page, '[data-part=list]'), [])
    await page.keyboard.press('F2')
    await page.keyboard.type('papers')
    await page.keyboard.press('Enter')
    await mark('papers').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show as tiles' }).click()
    await page.locator('[data-part=card]').first().waitFor()
    await mark('papers').waitFor()
    await page.reload()
    await mark('papers').waitFor()
    await itemNamed(page, 'papers').click()
    await page.getByRole('button', { name: 'Share' }).click()
    await dialog.getByRole('button', { name: 'Delete link' }).click()
    await dialog.getByRole('link').waitFor({ state: 'detached' })
    await close()
    await mark('papers').waitFor({ state: 'detached' })
  },
)

t.test('a notice during a dialog is visible, announced, and closes without the dialog', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await page.evaluate(() => {
    // Simulates a browser that refuses access to the clipboard.
    navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
    document.execCommand = () => false
  })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('button', { name: 'Copy link' }).click()
  const notice = page.getByRole('alert').getByText("The link couldn't be copied.")
  await notice.waitFor()
  const top = await notice.evaluate((one) => {
    const { x, y, width, height } = one.getBoundingClientRect()
    return document.elementFromPoint(x + width / 2, y + height / 2) === one
  })
  t.ok(top, 'nothing covers it')
  t.equal(await notice.evaluate((one) => one.closest('[inert], [aria-hidden=true]')), null)
  await page.locator('[data-part=notices]').getByRole('button', { name: 'Close' }).click()
  await notice.waitFor({ state: 'detached' })
  t.ok(await dialog.isVisible(), 'the dialog is still open')
})

t.test('a share may expire and have a password; permanent ones come first', async (t) => {
  const options = { colorScheme: 'dark', viewport: { width: 390, height: 900 } } as const
  const { page } = await start(t, { folder: { 'in.txt': '' } }, options)
  await itemNamed(page, 'folder').click()
  await page.locator('[data-part=selection]').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Expires').selectOption('In 7 days')
  await dialog.getByLabel('Password (optional)').fill('open sesame, please')
  await page.keyboard.press('Enter')
  await dialog.getByRole('link', { name: /^Expires/ }).waitFor()
  await dialog.getByRole('button', { name: 'Copy link' }).and(page.locator(':focus')).waitFor()
  t.equal(await dialog.getByRole('img', { name: 'Password-protected' }).count(), 1)
  await dialog.getByLabel('Expires').selectOption('Never')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('link', { name: 'Permanent link' }).waitFor()
  t.match(await dialog.getByRole('link').first().textContent(), 'Permanent')
  t.same(await violations(page, '[role=dialog]'), [])
})

t.test('a link can end with a day, and one that is over is refused', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' }, { timezoneId: 'America/St_Johns' })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Expires').selectOption('On a date')
  const create = dialog.getByRole('button', { name: 'Create link' })
  t.ok(await create.isDisabled(), 'without a day')
  await dialog.getByLabel('Last day').fill('2024-02-29')
  await dialog.getByRole('alert').getByText('This day is over.').waitFor()
  t.ok(await create.isDisabled())
  await dialog.getByLabel('Last day').fill('2044-02-29')
  await create.click()
  await dialog.getByRole('link', { name: /^Expires Mar 1, 2044, 12:00.AM$/ }).waitFor()
})

t.test('on the narrowest phones the fields of a new link are beside each other', async (t) => {
  const { page } = await start(t, { folder: {} }, { viewport: { width: 320, height: 640 } })
  await itemNamed(page, 'folder').click()
  await page.locator('[data-part=selection]').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share “folder”' })
  await dialog.getByLabel('Expires').selectOption('On a date')
  const [time, day] = [
    await dialog.getByLabel('Expires').boundingBox(),
    await dialog.getByLabel('Last day').boundingBox(),
  ]
  t.ok(time && day && time.x + time.width <= day.x, JSON.stringify([time, day]))
})

t.test('a link that is created while the links are loading stays in the list', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  const { promise: freed, resolve: release } = Promise.withResolvers<void>()
  let lists = 0
  await page.route('**/api/share/a.txt', async (route) => {
    const isFirstList = route.request().method() === 'GET' && lists++ === 0
    const response = await route.fetch()
    if (isFirstList) await freed
    await route.fulfill({ response })
  })
  await itemNamed(page, 'a.txt').click()
  const asked = page.waitForRequest('**/api/share/a.txt')
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Expires').selectOption('In 1 hour')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = dialog.getByRole('link', { name: /^Expires/ })
  await link.waitFor()
  release()
  await (await (await asked).response())?.finished()
  // The page shows an answer in its next frames.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  t.equal(await link.count(), 1)
})

t.test('deleting a link that has ended meanwhile counts as done', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = dialog.getByRole('link', { name: 'Permanent link' })
  await link.waitFor()
  const hash = (await link.getAttribute('href'))?.replace(/.*\//, '')
  await page.evaluate(async (hash) => {
    const headers = { 'X-Auth': localStorage.getItem('jwt') ?? '' }
    await fetch(`/api/share/${hash}`, { method: 'DELETE', headers })
  }, hash)
  await dialog.getByRole('button', { name: 'Delete link' }).click()
  await noticed(page, 'Link deleted.')
  await link.waitFor({ state: 'detached' })
  t.equal(await dialog.getByRole('alert').count(), 0)
})

t.test('a second permanent link needs a password', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  const create = dialog.getByRole('button', { name: 'Create link' })
  const links = dialog.getByRole('link', { name: 'Permanent link' })
  await create.click()
  await links.waitFor()
  await dialog.getByLabel('Password (optional)').fill('open sesame, please')
  await create.click()
  await links.nth(1).waitFor()
  await dialog.getByRole('button', { name: 'Delete link' }).first().click()
  await links.nth(1).waitFor({ state: 'detached' })
  await create.click()
  await links.nth(1).waitFor()
})

t.test('several selected items get one link, and each of them a mark that says its state', async (t) => {
  const { page } = await start(t, { docs: {}, 'a.txt': 'a', 'b.txt': 'b' })
  const mark = (name: string) => itemNamed(page, name).getByRole('img', { name: /^Shared/ })
  await itemNamed(page, 'docs').click()
  await itemNamed(page, 'a.txt').click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share 2 items' })
  t.same(await dialog.getByLabel('What visitors can do').locator('option').allTextContents(), [
    'View only',
    'View and download',
  ])
  await dialog.getByRole('button', { name: 'More options' }).click()
  await dialog.getByLabel('Maximum number of downloads').fill('3')
  await dialog.getByLabel('Expires').selectOption('In 7 days')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText(/^0 of 3 downloads, ends in 7 days/).waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  const address = (await dialog.getByRole('link', { name: /^Expires/ }).getAttribute('href')) ?? ''
  const answer = await fetch(address.replace('/share/', '/api/public/share/'))
  const { items } = (await answer.json()) as { items: { name: string }[] }
  t.same(
    items.map(({ name }) => name),
    ['docs', 'a.txt'],
  )
  await dialog.getByRole('button', { name: 'Close' }).click()
  for (const name of ['docs', 'a.txt']) {
    await mark(name).waitFor()
    t.equal(await mark(name).getAttribute('aria-label'), 'Shared: 0 of 3 downloads, ends in 7 days')
  }
  t.equal(await mark('b.txt').count(), 0)
  await mark('a.txt').hover()
  await page.locator('[data-part=tip]').getByText('Shared: 0 of 3 downloads, ends in 7 days').waitFor()
  await page.getByRole('link', { name: 'Shared links' }).click()
  const line = page.getByRole('region', { name: 'Shared links' }).getByRole('listitem')
  await line.getByText('2 items in /').waitFor()
  await line.getByRole('button', { name: 'Pause link' }).click()
  await line.getByText('Paused, 0 of 3 downloads, ends in 7 days').waitFor()
  t.same(await violations(page), [])
})
