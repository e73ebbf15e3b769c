import t from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const options = { path: '/settings/global' }

t.test('every Update button saves everything', async (t) => {
  const { page, address } = await start(t, { 'notes.txt': 'x' }, { ...options, more: ['--enable-exec'] })
  await page.getByLabel('Allow users to sign up').check()
  await page.getByLabel('Create a home folder for each new user').check()
  await page.getByLabel('Shell for commands').fill(' bash   -c ')
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
  t.equal(await page.getByLabel('Shell for commands').inputValue(), 'bash -c')
  await page.getByRole('button', { name: 'Update' }).first().click()
  await page.getByText('Settings updated!').waitFor()
})

t.test('a rule that is none is refused, with what is wrong about it', async (t) => {
  const { page } = await start(t, {}, options)
  await page.getByRole('button', { name: 'Add rule' }).click()
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
  t.equal(await card.getByRole('button', { name: 'Add rule' }).count(), 0)
  await card.getByLabel('Delete files and folders').uncheck()
  await card.getByLabel('Administrator').check()
  for (const name of ['Delete files and folders', 'Execute commands']) {
    t.ok(await card.getByLabel(name).isChecked(), name)
    t.ok(await card.getByLabel(name).isDisabled(), name)
  }
  await card.getByLabel('Administrator').uncheck()
  t.notOk(await card.getByLabel('Execute commands').isChecked(), 'where commands are off it goes again')
})

t.test(
  'without --enable-exec all about commands is read only and says what to start Coffer with',
  async (t) => {
    const { page, address } = await start(t, {}, options)
    const sentence = 'Commands are turned off. To change this, start Coffer with --enable-exec.'
    for (const name of ['General', 'User default settings', 'Command runner'])
      await page.getByRole('region', { name }).getByText(sentence).waitFor()
    const runner = page.getByRole('region', { name: 'Command runner' })
    await runner.getByText('Before copy').click()
    const isReadOnly = (label: string) =>
      page.getByLabel(label).evaluate((one: HTMLInputElement | HTMLTextAreaElement) => one.readOnly)
    const described = (label: string) =>
      page.getByLabel(label).evaluate((one) => {
        const id = one.getAttribute('aria-describedby')
        return id && document.getElementById(id)?.textContent
      })
    for (const label of ['Before copy', 'Shell for commands', 'Allowed commands, separated by spaces']) {
      t.ok(await isReadOnly(label), label)
      t.equal(await described(label), sentence, 'screen readers say why')
    }
    t.ok(await page.getByLabel('Execute commands').isDisabled())
    t.equal(await runner.getByRole('button', { name: 'Update' }).count(), 0)
    t.same(await violations(page), [])
    await page.goto(`${address}/settings/users/new`)
    await page.getByText(sentence).waitFor()
    t.ok(await page.getByLabel('Execute commands').isDisabled())
  },
)

t.test('Each command text is trimmed when its field is left', async (t) => {
  const { page } = await start(t, {}, { ...options, more: ['--enable-exec'] })
  t.equal(await page.getByText('To use it, start Coffer with').count(), 0)
  await page.getByText('Before copy').click()
  const field = page.getByRole('textbox', { name: 'Before copy' })
  await field.fill('\n  echo one\n\n  echo two \n ')
  await page.getByLabel('Shell for commands').focus()
  t.equal(await field.inputValue(), 'echo one\n\n  echo two')
})

t.test('a command whose variable the shell would split is refused at its event', async (t) => {
  const { page } = await start(t, {}, { ...options, more: ['--enable-exec'] })
  await page.getByLabel('Shell for commands').fill('sh -c')
  await page.getByText('After upload').click()
  const field = page.getByRole('textbox', { name: 'After upload' })
  await field.fill('echo one\nscan $FILE')
  await page.getByText('After upload').click()
  await page.getByRole('button', { name: 'Update' }).last().click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  const text =
    /^That value isn't allowed\.commands\.after_upload: line 2 \(scan \$FILE\) .* write "\$FILE", in double quotes$/
  t.match(await alert.textContent(), text)
  t.ok(
    await field.evaluate((node) => node === document.activeElement),
    'the event is open, and its text has the focus',
  )
  t.strictSame(await violations(page), [])
  await field.fill('echo one\nscan "$FILE"')
  t.equal(await alert.count(), 0)
  await page.getByRole('button', { name: 'Update' }).last().click()
  await page.getByText('Commands updated!').waitFor()
})

t.test('sign-up into the whole root says what that means and asks once', async (t) => {
  const { page, address } = await start(t, {}, options)
  const warning = page.getByRole('note').getByText('Everyone who signs up can see all files on this server')
  const question = page.getByRole('dialog', { name: 'Give new users access to all files?' })
  const update = page.getByRole('button', { name: 'Update' }).first()
  const auth = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const isOpen = async () => {
    const answer = await fetch(`${address}/api/settings`, { headers: { 'X-Auth': auth } })
    return ((await answer.json()) as { signup: boolean }).signup
  }
  await page.getByLabel('Allow users to sign up').check()
  await warning.waitFor()
  await update.click()
  await question.getByText('Everyone who signs up can see all files on this server').waitFor()
  t.same(await violations(page), [])
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  t.notOk(await isOpen(), 'nothing is saved')
  await update.click()
  await question.getByRole('button', { name: 'Save anyway' }).click()
  await page.getByText('Settings updated!').waitFor()
  t.ok(await isOpen())
  await page.getByLabel('Instance name').fill('The chest')
  await update.click()
  await page.getByRole('complementary').getByText('The chest').waitFor()
  t.equal(await question.count(), 0, 'it is asked once')
  const scope = page.getByRole('region', { name: 'User default settings' }).getByLabel('Scope')
  for (const [written, isRoot] of [
    ['/guests', false],
    ['/', true],
    ['guests/..', true],
    ['../guests', false],
    ['', true],
    [' ./ ', true],
  ] as const) {
    await scope.fill(written)
    t.equal(await warning.count(), isRoot ? 1 : 0, JSON.stringify(written))
  }
  await page.getByLabel('Create a home folder for each new user').check()
  await warning.waitFor({ state: 'detached' })
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
  const sentence = 'Commands run without a sandbox. They can read and change everything the server can'
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
