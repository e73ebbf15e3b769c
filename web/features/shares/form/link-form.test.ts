import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { ShareView } from '#contract/shares.ts'
import { asPng, plain } from '#src/testing/pictures.ts'
import { closeBrowser, itemNamed, start, violations, violationsInBothThemes } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

/** Opens the dialog for the links of an item. */
async function open(t: Test, name = 'inbox', width = 1280) {
  const { page, address } = await start(
    t,
    { inbox: { 'in.txt': '', 'sea.png': asPng(plain(300, 200, [10, 120, 200])) }, 'a.txt': 'a' },
    { viewport: { width, height: 900 } },
  )
  await itemNamed(page, name).click()
  if (width < 600) {
    await page.locator('[data-part=selection]').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Share' }).click()
  } else await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('What visitors can do').waitFor()
  return { page, address, dialog, links: () => linksOf(page) }
}

/** The links of the user, as the server has them. */
async function linksOf(page: Page): Promise<ShareView[]> {
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const response = await fetch(new URL('/api/shares', page.url()), { headers: { 'X-Auth': token } })
  return (await response.json()) as ShareView[]
}

t.test('a link allows what its owner chooses, and a file receives no others', async (t) => {
  const { dialog, links } = await open(t)
  const rights = dialog.getByLabel('What visitors can do')
  t.same(await rights.locator('option').allTextContents(), [
    'View only',
    'View and download',
    'Upload only',
    'Upload and see',
    'Edit',
  ])
  t.equal(await rights.inputValue(), 'download')
  await rights.selectOption('Upload only')
  await dialog.getByText("They don't see what is in the folder.").waitFor()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText('0 files received · Upload only').waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Create link' }).isDisabled(), 'the same link exists')
  await rights.selectOption('View and download')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('link', { name: 'Permanent link' }).nth(1).waitFor()
  t.same(
    (await links()).map((link) => link.rights),
    ['upload', 'download'],
  )
  const file = await open(t, 'a.txt')
  t.same(await file.dialog.getByLabel('What visitors can do').locator('option').allTextContents(), [
    'View only',
    'View and download',
    'Edit',
  ])
})

t.test('more options are closed at first, and show only what fits the rights', async (t) => {
  const { page, dialog, links } = await open(t, 'inbox', 390)
  t.equal(await dialog.getByLabel('Title').count(), 0)
  await dialog.getByRole('button', { name: 'More options' }).click()
  t.equal(await dialog.getByLabel('Maximum number of files').count(), 0)
  await dialog.getByLabel('What visitors can do').selectOption('Upload only')
  t.equal(await dialog.getByLabel('Maximum number of downloads').count(), 0)
  await dialog.getByLabel('Title').fill('Photos')
  await dialog.getByLabel('Message to visitors').fill('All of them, please')
  await dialog.getByLabel('Custom address').fill('my-photos')
  await dialog.getByText('Others can guess this address.').waitFor()
  await dialog.getByLabel('Maximum number of files').fill('9')
  await dialog.getByLabel('Maximum size of a file').first().fill('2.5')
  await dialog.getByLabel('Unit: Maximum size of a file').selectOption('GB')
  await dialog.getByLabel('Maximum size of all files').first().fill('10')
  await dialog.getByLabel('File types').fill('pdf, *.JPG image/*')
  await dialog.getByLabel('Ask visitors for their name').check()
  await dialog.getByLabel('Starts').fill('2044-02-29T12:30')
  t.same(await violationsInBothThemes(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText(/^Starts on Feb 29, 2044.*, 0 of 9 files received · Upload only · Photos$/).waitFor()
  t.match(
    await dialog.getByRole('link', { name: 'Permanent link' }).getAttribute('href'),
    /\/share\/my-photos$/,
  )
  t.match(await links(), [
    {
      ...{ title: 'Photos', message: 'All of them, please', slug: 'my-photos', maxFiles: 9, askName: true },
      ...{ maxFileSize: 2.5 * 1024 ** 3, maxBytes: 10 * 1024 ** 3, types: ['.pdf', '.jpg', 'image/*'] },
      starts: new Date('2044-02-29T12:30').toISOString(),
    },
  ])
  t.equal(await dialog.getByLabel('Title').inputValue(), '', 'the next link begins without them')
})

t.test('a start in a year that has no time is refused at its field', async (t) => {
  const { dialog, links } = await open(t)
  await dialog.getByRole('button', { name: 'More options' }).click()
  const create = dialog.getByRole('button', { name: 'Create link' })
  await dialog.getByLabel('Starts').fill('12345-01-01T00:00')
  await dialog.getByRole('alert').getByText("That value isn't allowed.").waitFor()
  t.ok(await create.isDisabled())
  await dialog.getByLabel('Starts').fill('2044-01-01T00:00')
  await create.click()
  await dialog.getByText('Starts on Jan 1, 2044').waitFor()
  t.match(await links(), [{ starts: new Date('2044-01-01T00:00').toISOString() }])
})

t.test('an address that another link has is refused at its field', async (t) => {
  const { dialog } = await open(t)
  await dialog.getByRole('button', { name: 'More options' }).click()
  for (const title of ['one', 'two']) {
    await dialog.getByLabel('Title').fill(title)
    await dialog.getByLabel('Custom address').fill('summer')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    if (title === 'one') await dialog.getByText('View and download · one').waitFor()
  }
  await dialog.getByRole('alert').getByText('Another link already has this address.').waitFor()
  await dialog.getByLabel('Custom address').and(dialog.page().locator(':focus')).waitFor()
  t.equal(await dialog.getByLabel('Title').inputValue(), 'two', 'nothing that was typed is lost')
})

t.test('a link is paused, continued and changed, and keeps its address', async (t) => {
  const { page, dialog, links } = await open(t)
  await dialog.getByLabel('Expires').selectOption('In 7 days')
  await dialog.getByLabel('Password (optional)').fill('open sesame, please')
  await dialog.getByRole('button', { name: 'More options' }).click()
  await dialog.getByLabel('Maximum number of downloads').fill('3')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText(/^0 of 3 downloads, ends in 7 days · View and download/).waitFor()
  const [before] = await links()
  await dialog.getByRole('button', { name: 'Pause link' }).click()
  await noticed(page, 'Link paused.')
  await dialog.getByText(/^Paused, 0 of 3 downloads, ends in 7 days/).waitFor()
  await dialog.getByRole('button', { name: 'Resume link' }).click()
  await noticed(page, 'Link resumed.')
  await dialog.getByRole('button', { name: 'Change link' }).click()
  const change = page.getByRole('dialog', { name: 'Change the link to “inbox”' })
  await change.getByText('Leave this empty to keep the password.').waitFor()
  await change.getByLabel('What visitors can do').selectOption('Edit')
  await change.getByLabel('Remove the password').check()
  t.equal(await change.getByLabel('Password (optional)').count(), 0)
  await change.getByRole('button', { name: 'More options' }).click()
  t.equal(await change.getByLabel('Maximum number of downloads').inputValue(), '3')
  await change.getByLabel('Maximum number of downloads').fill('')
  t.same(await violations(page, '[role=dialog]'), [])
  await change.getByRole('button', { name: 'Save' }).click()
  await noticed(page, 'Link changed.')
  await dialog.getByText(/^0 files received, ends in 7 days · Edit/).waitFor()
  const [after] = await links()
  t.match(after, { hash: before?.hash, expire: before?.expire, rights: 'edit', hasPassword: false })
  t.equal(after?.maxDownloads, undefined)
  await dialog.getByRole('button', { name: 'Change link' }).click()
  await change.getByLabel('Expires').selectOption('Never')
  await change.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('link', { name: 'Permanent link' }).waitFor()
  await dialog.getByRole('button', { name: 'Change link' }).click()
  await change.getByRole('button', { name: 'Cancel' }).click()
  await dialog.getByRole('link', { name: 'Permanent link' }).waitFor()
})

t.test('the page of links filters by name, and pauses and changes links', async (t) => {
  const { page, address, dialog } = await open(t)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('link', { name: 'Permanent link' }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Share' }).click()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('link', { name: 'Permanent link' }).waitFor()
  await page.goto(`${address}/settings/shares`)
  const lines = page.getByRole('region', { name: 'Shared links' }).getByRole('listitem')
  await lines.nth(1).waitFor()
  await page.getByLabel('Filter by name').fill('A.TX')
  await lines.nth(1).waitFor({ state: 'detached' })
  t.match(await lines.allTextContents(), [/^\/a\.txtPermanent link · View and download/])
  await lines.getByRole('button', { name: 'Pause link' }).click()
  await lines.getByText('Paused').waitFor()
  await lines.getByRole('button', { name: 'Change link' }).click()
  const change = page.getByRole('dialog', { name: 'Change the link to “a.txt”' })
  await change.getByLabel('What visitors can do').selectOption('View only')
  await change.getByRole('button', { name: 'Save' }).click()
  await lines.getByText('View only').waitFor()
  t.same(await violations(page), [])
  await page.getByLabel('Filter by name').fill('nothing like it')
  await page.getByText('Nothing found').waitFor()
})

t.test(
  'a link has a cover from the folder, a sender, a look, people and limits, and keeps them',
  async (t) => {
    const { page, dialog, links } = await open(t, 'inbox', 390)
    await dialog.getByLabel('Expires').selectOption('After a time')
    t.ok(await dialog.getByRole('button', { name: 'Create link' }).isDisabled(), 'without a number')
    await dialog.getByLabel('Number').fill('90')
    await dialog.getByLabel('Unit').first().selectOption('Hours')
    await dialog.getByRole('button', { name: 'More options' }).click()
    await dialog.getByRole('button', { name: 'Choose picture' }).click()
    const picker = dialog.getByRole('region', { name: 'Choose picture' })
    await picker.getByRole('button', { name: 'sea.png' }).locator('img').waitFor()
    t.equal(await picker.getByRole('button', { name: 'in.txt' }).count(), 0, 'only pictures are offered')
    t.same(await violations(page, '[role=dialog]'), [])
    await picker.getByRole('button', { name: 'sea.png' }).click()
    t.equal(await dialog.getByLabel('Cover picture').inputValue(), '/inbox/sea.png')
    await dialog.getByLabel('Sent by').fill('Ann Lee')
    await dialog.getByLabel('Show files as').selectOption('Gallery')
    await dialog.getByLabel('Theme').selectOption('Dark')
    const people = dialog.getByRole('combobox', { name: 'Only for these people' })
    await people.fill('nobody')
    await people.press('Enter')
    await dialog.getByRole('button', { name: 'Remove nobody' }).waitFor()
    await dialog.getByLabel('Maximum number of visitors').fill('5')
    await dialog.getByLabel('Maximum speed per second').first().fill('2')
    await dialog.getByText('This server is not set up for mail.').waitFor()
    await dialog.getByText('Your settings have no webhook.').waitFor()
    await dialog.getByLabel('By mail').check()
    t.same(await violationsInBothThemes(page, '[role=dialog]'), [])
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('alert').getByText("That value isn't allowed.").waitFor()
    await dialog.getByRole('button', { name: 'Remove nobody' }).click()
    await people.fill('ann')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByText(/^0 of 5 visitors, ends in 4 days · View and download/).waitFor()
    t.match(await links(), [
      {
        ...{ cover: '/inbox/sea.png', from: 'Ann Lee', look: { view: 'gallery', theme: 'dark' } },
        ...{ people: ['ann'], maxVisitors: 5, rate: 2 * 1024 ** 2, notify: ['page', 'mail'] },
      },
    ])
    await dialog.getByRole('button', { name: 'Change link' }).click()
    const change = page.getByRole('dialog', { name: 'Change the link to “inbox”' })
    await change.getByRole('button', { name: 'More options' }).click()
    t.equal(await change.getByLabel('Sent by').inputValue(), 'Ann Lee')
    await change.getByRole('button', { name: 'Remove ann' }).click()
    await change.getByLabel('Cover picture').fill('')
    await change.getByRole('button', { name: 'Save' }).click()
    await noticed(page, 'Link changed.')
    const [after] = await links()
    t.notOk(after?.people || after?.cover)
    t.match(after, { from: 'Ann Lee', maxVisitors: 5 })
  },
)
