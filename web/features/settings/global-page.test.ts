import t from 'tap'
import { closeBrowser, start, violations, violationsInBothThemes } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { openAdvanced } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const options = { path: '/settings/global' }

t.test('one button saves all global settings', async (t) => {
  const { page, address } = await start(t, { 'notes.txt': 'x' }, { ...options, more: ['--enable-exec'] })
  await page.getByLabel('Allow users to sign up').check()
  await page.getByLabel('Create a home folder for each new user').check()
  await openAdvanced(page)
  await page.getByLabel('Shell for commands').fill(' bash   -c ')
  await page.getByLabel('Instance name').fill('The chest')
  await page.getByRole('region', { name: 'User default settings' }).getByLabel('Share files').uncheck()
  await page.getByText('Before copy').click()
  await page.getByRole('textbox', { name: 'Before copy' }).fill('echo one\n\n  echo two ')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
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
  t.notOk(await page.getByRole('button', { name: 'Save', exact: true }).isVisible(), 'nothing is to be saved')
  await page.getByLabel('Instance name').fill('Another')
  await page.getByText('Unsaved changes').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  t.equal(await page.getByLabel('Instance name').inputValue(), 'The chest')
})

t.test('shows an error instead of settings that cannot be loaded', async (t) => {
  const { page, address } = await start(t, {})
  await page.route('**/api/settings', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.goto(`${address}/settings/global`)
  await page.getByRole('alert').getByText('Something really went wrong.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0)
})

t.test('the default permissions of an administrator include all permissions', async (t) => {
  const { page } = await start(t, {}, options)
  const card = page.getByRole('region', { name: 'User default settings' })
  t.equal(await card.getByLabel('Username').count(), 0, 'the defaults contain no name')
  t.equal(await card.getByLabel('Password').count(), 0)
  t.equal(await card.getByRole('button', { name: 'Add rule' }).count(), 0)
  await card.getByLabel('Delete files and folders').uncheck()
  await card.getByLabel('Administrator').check()
  for (const name of ['Delete files and folders', 'Execute commands']) {
    t.ok(await card.getByLabel(name).isChecked(), name)
    t.ok(await card.getByLabel(name).isDisabled(), name)
  }
  await card.getByLabel('Administrator').uncheck()
  t.notOk(await card.getByLabel('Execute commands').isChecked(), 'disabled commands stay unchecked')
})

t.test('without --enable-exec, command settings are read-only and name the option', async (t) => {
  const { page, address } = await start(t, {}, options)
  const sentence = 'Commands are turned off. To change this, start Coffer with --enable-exec.'
  await openAdvanced(page)
  for (const name of ['User default settings', 'Command runner'])
    await page.getByRole('region', { name }).getByText(sentence).waitFor()
  const runner = page.getByRole('region', { name: 'Command runner' })
  await runner.getByText('Before copy').click()
  const isReadOnly = (label: string) =>
    page.getByLabel(label).evaluate((one: HTMLInputElement | HTMLTextAreaElement) => one.readOnly)
  const described = (label: string) =>
    page.getByLabel(label).evaluate((one) => {
      const [id = ''] = one.getAttribute('aria-describedby')?.split(' ') ?? []
      return document.getElementById(id)?.textContent
    })
  for (const label of ['Before copy', 'Shell for commands', 'Allowed commands, separated by spaces']) {
    t.ok(await isReadOnly(label), label)
    t.equal(await described(label), sentence, 'the description gives the reason')
  }
  t.ok(await page.getByLabel('Execute commands').isDisabled())
  t.equal(await page.getByRole('note').count(), 0, 'no warning about the sandbox')
  t.same(await violations(page), [])
  await page.goto(`${address}/settings/users/new`)
  await page.getByText(sentence).waitFor()
  t.ok(await page.getByLabel('Execute commands').isDisabled())
})

t.test('trims a command field when it loses the focus', async (t) => {
  const { page } = await start(t, {}, { ...options, more: ['--enable-exec'] })
  t.equal(await page.getByText('To use it, start Coffer with').count(), 0)
  await openAdvanced(page)
  await page.getByText('Before copy').click()
  const field = page.getByRole('textbox', { name: 'Before copy' })
  await field.fill('\n  echo one\n\n  echo two \n ')
  await page.getByLabel('Shell for commands').focus()
  t.equal(await field.inputValue(), 'echo one\n\n  echo two')
})

t.test('rejects a command with an unquoted variable and shows the error at its event', async (t) => {
  const { page } = await start(t, {}, { ...options, more: ['--enable-exec'] })
  await openAdvanced(page)
  await page.getByLabel('Shell for commands').fill('sh -c')
  await page.getByText('After upload').click()
  const field = page.getByRole('textbox', { name: 'After upload' })
  await field.fill('echo one\nscan $FILE')
  await page.getByText('After upload').click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  const text =
    /^That value isn't allowed\.commands\.after_upload: line 2 \(scan \$FILE\) .* write "\$FILE", in double quotes$/
  t.match(await alert.textContent(), text)
  t.ok(
    await field.evaluate((node) => node === document.activeElement),
    'the event is open and its field has the focus',
  )
  t.strictSame(await violations(page), [])
  await field.fill('echo one\nscan "$FILE"')
  t.equal(await alert.count(), 0)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
})

t.test('warns and asks once when sign-up would give access to all files', async (t) => {
  const { page, address } = await start(t, {}, options)
  const warning = page.getByRole('note').getByText('Everyone who signs up can see all files on this server')
  const question = page.getByRole('dialog', { name: 'Give new users access to all files?' })
  const update = page.getByRole('button', { name: 'Save', exact: true })
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
  t.notOk(await isOpen(), 'nothing was saved')
  await update.click()
  await question.getByRole('button', { name: 'Save anyway' }).click()
  await noticed(page, 'Settings updated!')
  t.ok(await isOpen())
  await page.getByLabel('Instance name').fill('The chest')
  await update.click()
  await page.getByRole('complementary').getByText('The chest').waitFor()
  t.equal(await question.count(), 0, 'asks only once')
  const scope = page
    .getByRole('region', { name: 'User default settings' })
    .getByLabel('Home folder', { exact: true })
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

t.test('the global settings are accessible', async (t) => {
  const { page } = await start(t, {}, { ...options, viewport: { width: 390, height: 800 } })
  await openAdvanced(page)
  await page.getByText('After delete').click()
  await page.getByRole('textbox', { name: 'After delete' }).waitFor()
  t.same(await violationsInBothThemes(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
})

t.test('shows a warning at every command setting when commands run without a sandbox', async (t) => {
  const more = ['--enable-exec', '--exec-without-sandbox']
  const { page, address } = await start(t, {}, { ...options, more })
  const sentence = 'Commands run without a sandbox. They can read and change everything the server can'
  await openAdvanced(page)
  for (const name of ['Command runner', 'User default settings']) {
    await page.getByRole('region', { name }).getByRole('note').getByText(sentence).waitFor()
  }
  t.strictSame(await violations(page), [])
  await page.goto(`${address}/settings/users/new`)
  await page.getByRole('note').getByText(sentence).waitFor()
})
