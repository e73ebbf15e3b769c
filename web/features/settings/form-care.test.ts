import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, itemNamed, start, testUser, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { openAdvanced } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

t.test('asks before unsaved settings are left', async (t) => {
  const { page, address } = await start(t, { 'notes.txt': 'x' }, { path: '/settings/global' })
  const name = page.getByLabel('Instance name')
  await name.fill('The chest')
  const question = page.getByRole('dialog', { name: 'Save your changes?' })
  await page.getByRole('link', { name: 'Profile settings' }).click()
  await question.getByText('You have changed “Global settings”.').waitFor()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  t.equal(page.url(), `${address}/settings/global`)
  t.equal(await name.inputValue(), 'The chest')
  await page.getByRole('link', { name: 'Profile settings' }).click()
  await question.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Change password' }).waitFor()
  await page.goBack()
  await page.waitForFunction(
    (label) => [...document.querySelectorAll('input')].some(({ value }) => value === label),
    'The chest',
  )
  await page.getByLabel('Allow users to sign up').check()
  await page.getByRole('link', { name: 'My files' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await itemNamed(page, 'notes.txt').waitFor()
  await page.goto(`${address}/settings/global`)
  await page.getByLabel('Instance name').fill('The box')
  await page.keyboard.press('Control+s')
  await noticed(page, 'Settings updated!')
  await page.getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'notes.txt').waitFor()
})

t.test('asks before unsaved changes to a user are left, but not after saving or deleting', async (t) => {
  const { page, address } = await start(t, {}, { path: '/settings/users/new' })
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password', { exact: true }).fill('bob has a long passphrase')
  const question = page.getByRole('dialog', { name: 'Save your changes?' })
  await page.getByRole('link', { name: 'User management' }).click()
  await question.getByText('You have changed “New user”.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Edit bob' }).waitFor()
  await page.getByLabel('Home folder', { exact: true }).fill('/elsewhere')
  await page.getByRole('link', { name: 'User management' }).click()
  await question.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'bob' }).getByText('/elsewhere').waitFor()
  await page.getByRole('link', { name: 'Edit bob' }).click()
  await page.getByLabel('Download').uncheck()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await noticed(page, 'User deleted!')
  await page.waitForURL(`${address}/settings/users`)
})

t.test('the path of a rule may be entered without its slash', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/users/new' })
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password', { exact: true }).fill('bob has a long passphrase')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Path').fill('private')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Edit bob' }).waitFor()
  t.equal(await page.getByLabel('Path').inputValue(), '/private')
})

t.test('shows a rejected value at its field, in the language of the page', async (t) => {
  const { page, address } = await start(t, {}, { path: '/settings/global', more: ['--enable-exec'] })
  await page.getByLabel('Branding directory path').fill('/no/such/folder')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const field = page.getByLabel('Branding directory path')
  await page.getByRole('alert').getByText("That value isn't allowed.").waitFor()
  t.equal(await field.getAttribute('aria-invalid'), 'true')
  await page.waitForFunction(() => document.activeElement?.matches('[aria-invalid]'))
  const detail = page.getByRole('alert').locator('[lang=en][dir=ltr]')
  t.match(await detail.textContent(), /^branding\.files: is not a folder/)
  t.same(await violations(page), [])
  await field.fill('')
  t.equal(await page.getByRole('alert').count(), 0, 'a change hides the error')
  await page.getByLabel('Instance name').fill('The chest')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  await page.goto(`${address}/settings/users/new`)
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password', { exact: true }).fill('bob has a long passphrase')
  await openAdvanced(page)
  await page.getByLabel('Allowed commands, separated by spaces').fill('a/b')
  await page.locator('summary', { hasText: 'Advanced' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  // A refusal opens the folded field.
  await page.getByRole('alert').getByText('data.commands').waitFor()
  t.equal(await page.getByLabel('Allowed commands, separated by spaces').getAttribute('aria-invalid'), 'true')
})

t.test('changed instance settings apply to the page at once', async (t) => {
  const { page, root } = await start(t, {}, { path: '/settings/global' })
  await page.getByLabel('Instance name').fill('The chest')
  await page.getByLabel('Color of the browser bar').fill('rebeccapurple')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('complementary').getByText('The chest').waitFor()
  t.equal(await page.title(), 'Global settings – The chest')
  t.equal(
    await page.evaluate(() => document.querySelector<HTMLMetaElement>('meta[name=theme-color]')?.content),
    'rebeccapurple',
  )
  const folder = path.join(path.dirname(root), 'brand')
  mkdirSync(path.join(folder, 'img'), { recursive: true })
  writeFileSync(path.join(folder, 'custom.css'), ':root { --accent: rgb(1, 2, 3) }')
  await page.getByLabel('Branding directory path').fill(folder)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  await page.waitForFunction(
    () => getComputedStyle(document.documentElement).getPropertyValue('--accent') === 'rgb(1, 2, 3)',
  )
})

t.test('changes of one’s own account apply to the page at once', async (t) => {
  const { page } = await start(t, { docs: { 'inside.txt': 'x' } }, { path: '/settings/users/1' })
  await page.getByLabel('Username').fill('anna')
  await page.getByLabel('Language').selectOption('de')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('complementary').getByRole('link', { name: 'Meine Dateien', exact: true }).waitFor()
  await page.getByRole('button', { name: /anna/ }).first().waitFor()
  t.equal(await page.getByText(testUser.name, { exact: true }).count(), 0)
})
