import t from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const options = { path: '/settings/global' }

t.test('every Update button saves everything', async (t) => {
  const { page, address } = await start(t, { 'notes.txt': 'x' }, options)
  await page.getByLabel('Allow users to sign up').check()
  await page.getByLabel('Execute on shell').fill(' bash   -c ')
  await page.getByLabel('Instance name').fill('The chest')
  await page.getByRole('region', { name: 'User default settings' }).getByLabel('Share files').uncheck()
  await page.getByText('Before copy').click()
  await page.getByRole('textbox', { name: 'Before copy' }).fill('echo one\n\n  echo two ')
  await page.getByRole('button', { name: 'Update' }).last().click()
  await page.getByText('Commands updated!').waitFor()
  const auth = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const answer = await fetch(`${address}/api/settings`, { headers: { 'X-Auth': auth } })
  t.match(await answer.json(), {
    signup: true,
    shell: ['bash', '-c'],
    branding: { name: 'The chest' },
    defaults: { perm: { share: false, download: true } },
    commands: { before_copy: ['echo one', 'echo two'] },
  })
  await page.reload()
  t.equal(await page.getByLabel('Execute on shell').inputValue(), 'bash -c')
  await page.getByRole('button', { name: 'Update' }).first().click()
  await page.getByText('Settings updated!').waitFor()
})

t.test('a rule that is none is refused, with what is wrong about it', async (t) => {
  const { page } = await start(t, {}, options)
  await page.getByRole('button', { name: 'New rule' }).click()
  await page.getByLabel('Regex').check()
  await page.getByLabel('Regular expression').fill('(')
  await page.getByRole('button', { name: 'Update' }).first().click()
  t.match(await page.getByRole('alert').textContent(), /rules/)
})

t.test('settings that cannot be loaded are not shown, and why is', async (t) => {
  const { page, address } = await start(t, {})
  await page.route('**/api/settings', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.goto(`${address}/settings/global`)
  await page.getByRole('alert').getByText('Something really went wrong.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Update' }).count(), 0)
})

t.test('who may do everything may do each thing, also by default', async (t) => {
  const { page } = await start(t, {}, options)
  const card = page.getByRole('region', { name: 'User default settings' })
  t.equal(await card.getByLabel('Username').count(), 0, 'new users have no name in common')
  t.equal(await card.getByLabel('Password').count(), 0)
  t.equal(await card.getByRole('button', { name: 'New rule' }).count(), 0)
  await card.getByLabel('Execute commands').uncheck()
  await card.getByLabel('Administrator').check()
  t.ok(await card.getByLabel('Execute commands').isChecked())
  t.ok(await card.getByLabel('Execute commands').isDisabled())
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`the settings stand in nobody's way: ${colorScheme}`, async (t) => {
    const { page } = await start(t, {}, { ...options, colorScheme, viewport: { width: 390, height: 800 } })
    await page.getByText('After delete').click()
    await page.getByRole('textbox', { name: 'After delete' }).waitFor()
    t.same(await violations(page), [])
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
  })
}

t.test('where commands run without a sandbox, a warning stands wherever they are offered', async (t) => {
  const more = ['--enable-exec', '--exec-without-sandbox']
  const { page, address } = await start(t, {}, { ...options, more })
  const sentence = 'Commands run without a sandbox. They can read and change everything that the server can'
  for (const name of ['Command runner', 'User default settings']) {
    await page.getByRole('region', { name }).getByRole('note').getByText(sentence).waitFor()
  }
  t.strictSame(await violations(page), [])
  await page.goto(`${address}/settings/users/new`)
  await page.getByRole('note').getByText(sentence).waitFor()
})

t.test('where commands run in a sandbox, or not at all, there is no warning', async (t) => {
  const { page } = await start(t, {}, options)
  await page.getByRole('region', { name: 'Command runner' }).waitFor()
  t.equal(await page.getByRole('note').count(), 0)
})
