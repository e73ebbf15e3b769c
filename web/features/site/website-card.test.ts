import t from 'tap'
import { closeBrowser, violations, violationsInBothThemes } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { needs, startSite } from '#web/testing/site.ts'

t.teardown(closeBrowser)

const hugo = needs('hugo')

t.test('the card Website saves the folders and the generator of the website', hugo, async (t) => {
  const { page, address } = await startSite(t, '/settings/global')
  const card = page.getByRole('region', { name: 'Website' })
  t.equal(await card.getByLabel('Website root').inputValue(), '/')
  t.equal(await card.getByLabel('Public directory').inputValue(), '/public')
  await card.getByLabel('Public directory').fill('/out')
  await card.getByLabel('Arguments').fill('  --minify   --buildFuture ')
  await card.getByLabel('Clean before publishing').uncheck()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  const auth = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const response = await fetch(`${address}/api/settings`, { headers: { 'X-Auth': auth } })
  t.match(await response.json(), {
    staticGen: {
      Root: '/',
      Public: '/out',
      Exe: 'hugo',
      Args: ['--minify', '--buildFuture'],
      CleanPublic: false,
    },
  })
})

t.test('the card Website shows a refused value at its field', hugo, async (t) => {
  const { page } = await startSite(t, '/settings/global', { reducedMotion: 'reduce' })
  const card = page.getByRole('region', { name: 'Website' })
  for (const [label, value, reason] of [
    ['Public directory', '/', /a folder inside Root/],
    ['Executable', 'sh', /must be hugo/],
    ['Arguments', '--destination /tmp', /cannot be used/],
  ] as const) {
    const field = card.getByLabel(label)
    const before = await field.inputValue()
    await field.fill(value)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    t.match(await card.getByRole('alert').textContent(), reason)
    t.equal(await field.getAttribute('aria-invalid'), 'true', label)
    t.strictSame(await violations(page), [])
    await field.fill(before)
  }
})

t.test('user forms have the permission to publish, which administrators always have', hugo, async (t) => {
  const { page, address } = await startSite(t, '/settings/global')
  const defaults = page.getByRole('region', { name: 'User default settings' })
  await defaults.getByLabel('Publish posts and pages').check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  await page.goto(`${address}/settings/users/new`)
  const permission = page.getByLabel('Publish posts and pages')
  t.ok(await permission.isChecked(), 'new users start with it')
  await permission.uncheck()
  await page.getByLabel('Administrator').check()
  t.ok(await permission.isChecked())
  t.ok(await permission.isDisabled())
  await page.getByLabel('Administrator').uncheck()
  await permission.uncheck()
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password', { exact: true }).fill('some other long passphrase')
  await page.getByRole('button', { name: 'Save' }).click()
  await noticed(page, 'User created!')
  await page.reload()
  t.notOk(await permission.isChecked())
  await permission.check()
  await page.getByRole('button', { name: 'Save' }).click()
  await noticed(page, 'User updated!')
  await page.reload()
  await page.getByRole('heading', { name: 'Edit bob' }).waitFor()
  t.ok(await permission.isChecked())
})

for (const [name, options] of [
  ['left-to-right', {}],
  ['right-to-left', { locale: 'ar' }],
] as const) {
  t.test(`the card Website is accessible on narrow screens: ${name}`, hugo, async (t) => {
    const { page } = await startSite(t, '/settings/global', {
      ...options,
      viewport: { width: 390, height: 800 },
    })
    await page.locator('input[value="/public"]').waitFor()
    t.strictSame(await violationsInBothThemes(page), [])
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
  })
}
