import t from 'tap'
import { closeBrowser, itemNamed, signInAs, start, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

t.test('an administrator sets a policy for links, and their form follows it at once', async (t) => {
  const { page, address } = await start(t, { inbox: {} }, { path: '/settings/global' })
  const card = page.getByRole('region', { name: 'Sharing' })
  await card.getByLabel('Links need a password').check()
  await card.getByLabel('Links may receive files').uncheck()
  await card.getByLabel('Longest life of a link (days)').fill('3')
  t.same(await violations(page, '[data-setting="global.sharing"]'), [])
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  await page.getByRole('link', { name: 'My files' }).first().click()
  await itemNamed(page, 'inbox').click()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Uploads with links are turned off here.').waitFor()
  await dialog.getByText('Links work for at most 3 days here.').waitFor()
  await dialog.getByText('Links need a password here').waitFor()
  t.same(await dialog.getByLabel('What visitors can do').locator('option').allTextContents(), [
    'View only',
    'View and download',
  ])
  t.same(await dialog.getByLabel('Expires').locator('option').allTextContents(), [
    ...['In 1 hour', 'In 1 day', 'After a time', 'On a date'],
  ])
  t.equal(await dialog.getByLabel('Number').inputValue(), '3')
  t.same(await violations(page, '[role=dialog]'), [])
  const create = dialog.getByRole('button', { name: 'Create link' })
  await create.click()
  t.ok(
    await dialog.getByLabel('Password').evaluate((one: HTMLInputElement) => one.validity.valueMissing),
    'a password is asked for before anything is sent',
  )
  await dialog.getByLabel('Password').fill('open sesame, please')
  await create.click()
  await dialog.getByRole('link', { name: /^Expires/ }).waitFor()
  await page.goto(`${address}/settings/global`)
  await card.getByLabel('Who may create links').selectOption('Only administrators')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  const perm = { share: true, download: true }
  const his = await signInAs(t, page, { perm })
  await itemNamed(his, 'inbox').click()
  await his.getByRole('button', { name: 'Download' }).waitFor()
  t.equal(await his.getByRole('button', { name: 'Share', exact: true }).count(), 0)
})
