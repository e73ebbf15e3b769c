import type { Page } from 'playwright-core'
import t from 'tap'
import { isSigned, receiveHooks } from '#src/testing/hook-receiver.ts'
import { mailAccount, receiveMail, textOf } from '#src/testing/mail-server.ts'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, violationsInBothThemes } from '#web/testing/browser.ts'
import { startWithNotices } from '#web/testing/notice-server.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

t.test('a user sets up a webhook, tests it, and sees what becomes of each delivery', async (t) => {
  const receiver = await receiveHooks(t)
  const { open, share, reachLimit, notify, due } = await startWithNotices(t, { webhookAllow: ['127.0.0.1'] })
  const page = await open('ann', '/settings/profile')
  const card = cardOf(page, 'Webhook')
  const address = card.getByLabel('Address of the webhook')
  const deliveries = card.getByRole('listitem')
  let secret = ''

  await t.test('an address that is not allowed is refused at its field', async () => {
    await address.fill('http://192.168.3.4/hook')
    await address.press('Enter')
    await card.getByRole('alert').waitFor()
    await address.and(page.locator('[aria-invalid=true]:focus')).waitFor()
  })

  await t.test('the secret is shown once', async (t) => {
    await address.fill(receiver.url)
    await card.getByRole('button', { name: 'Save', exact: true }).click()
    await noticed(page, 'Webhook saved.')
    secret = (await card.locator('code').textContent()) ?? ''
    t.match(secret, /^whsec_/)
    await card.getByRole('button', { name: 'Copy secret' }).waitFor()
    t.same(await violationsInBothThemes(page, 'main'), [])
    await page.reload()
    await card.getByRole('button', { name: 'New secret' }).waitFor()
    t.equal(await card.locator('code').count(), 0)
  })

  await t.test('a test arrives with a signature, and its result appears by itself', async (t) => {
    await card.getByRole('button', { name: 'Send a test' }).click()
    await deliveries.getByText('Delivered (204)').waitFor()
    const [hook] = receiver.hooks
    t.ok(hook && isSigned(hook, secret))
  })

  await t.test('a notice that is refused can be sent again', async (t) => {
    receiver.answer = (response) => response.writeHead(410).end()
    const hash = await share('/inbox', { title: 'Plans' })
    notify(hash, ['page', 'webhook'])
    reachLimit(hash)
    await due()
    await card.getByRole('note').getByText('answered that it is gone').waitFor()
    await deliveries.getByText('Refused with status 410').waitFor()
    receiver.answer = (response) => response.writeHead(200).end()
    await card.getByLabel('Send notices to this address').check()
    await card.getByRole('button', { name: 'Save', exact: true }).click()
    await card.getByRole('note').waitFor({ state: 'detached' })
    await deliveries.filter({ hasText: 'Limit reached' }).getByRole('button', { name: 'Send again' }).click()
    await deliveries.filter({ hasText: 'Limit reached' }).getByText('Delivered (200)').waitFor()
    t.equal(receiver.hooks.length, 3)
    t.same(await violationsInBothThemes(page, 'main'), [])
  })

  await t.test('another secret replaces the old one, after a question', async (t) => {
    await card.getByRole('button', { name: 'New secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await noticed(page, 'New secret made.')
    t.not(await card.locator('code').textContent(), secret)
  })

  await t.test('a webhook that is removed is gone with its deliveries', async (t) => {
    await card.getByRole('button', { name: 'Remove webhook' }).click()
    await noticed(page, 'Webhook removed.')
    t.equal(await address.inputValue(), '')
    t.equal(await deliveries.count(), 0)
    t.equal(await card.locator('code').count(), 0)
  })
})

t.test('an administrator sets up the mail server, and a user confirms an address', async (t) => {
  const server = await receiveMail(t)
  const { open } = await startWithNotices(t)
  const admin = await open('admin', '/settings/profile')

  await t.test('without a mail server, the card of the address leads to its settings', async () => {
    await cardOf(admin, 'Notices by e-mail').getByRole('link', { name: 'Set up a mail server' }).click()
    await admin.locator('section[data-found]').getByRole('heading', { name: 'Mail server' }).waitFor()
  })

  const card = cardOf(admin, 'Mail server')
  const field = (name: string) => card.getByLabel(name, { exact: true })
  const save = () => card.getByRole('button', { name: 'Save mail server' }).click()

  await t.test('its settings are saved with a password that is never shown again', async (t) => {
    await field('Server').fill('127.0.0.1')
    await field('Encryption').selectOption('TLS')
    t.equal(await field('Port').inputValue(), '465', 'the usual port')
    await field('Encryption').selectOption('None')
    await field('Port').fill(String(server.port))
    await field('Username').fill(mailAccount.user)
    await field('Password').fill('wrong')
    await field('Sender').fill('no address')
    await card.getByLabel('Send a test message to').waitFor({ state: 'detached' })
    await save()
    await card.getByRole('alert').getByText('This is not an e-mail address.').waitFor()
    await field('Sender').fill('coffer@files.example')
    await save()
    await noticed(admin, 'Mail server saved.')
    t.equal(await field('Password').inputValue(), '')
    await card.getByText('A password is saved.').waitFor()
  })

  await t.test('a test shows the answer of the mail server', async (t) => {
    await field('Send a test message to').fill('ann@mail.example')
    await card.getByRole('button', { name: 'Send', exact: true }).click()
    await card.getByRole('alert').getByText('refuses the username or the password').waitFor()
    await field('Password').fill(mailAccount.pass)
    await card.getByText('Save the mail server first.').waitFor()
    await save()
    await noticed(admin, 'Mail server saved.')
    await card.getByRole('button', { name: 'Send', exact: true }).click()
    await card.getByText('The mail server has accepted the message.').waitFor()
    t.match(server.mails, [{ to: ['ann@mail.example'], user: mailAccount.user }])
    t.same(await violationsInBothThemes(admin, 'main'), [])
  })

  await t.test('another server needs its own password', async () => {
    await field('Username').fill('somebody')
    await card.getByText('Enter it again').waitFor()
    await field('Username').fill(mailAccount.user)
    await card.getByText('A password is saved.').waitFor()
  })

  const ann = await open('ann', '/settings/profile')
  const own = cardOf(ann, 'Notices by e-mail')

  await t.test('an address needs the code that was sent to it', async (t) => {
    await own.getByLabel('E-mail address').fill('ann')
    await own.getByLabel('E-mail address').press('Enter')
    await own.getByRole('alert').getByText('This is not an e-mail address.').waitFor()
    await own.getByLabel('E-mail address').fill('ann@mail.example')
    await own.getByRole('button', { name: 'Send code' }).click()
    await own.getByText('A code was sent to ann@mail.example').waitFor()
    await own.getByLabel('Code').fill('12')
    await own.getByLabel('Code').press('Enter')
    await own.getByRole('alert').getByText('This code is wrong or too old.').waitFor()
    t.same(await violationsInBothThemes(ann, 'main'), [])
    await until(() => server.mails.length === 2)
    const mail = server.mails.at(-1)
    await own.getByLabel('Code').fill(/^\d{6}$/m.exec(mail ? textOf(mail) : '')?.[0] ?? '')
    await own.getByRole('button', { name: 'Confirm' }).click()
    await own.getByText('Notices are sent to ann@mail.example').waitFor()
  })

  await t.test('it can be changed and removed', async () => {
    await own.getByRole('button', { name: 'Change' }).click()
    await own.getByLabel('E-mail address').fill('nobody@mail.example')
    await own.getByRole('button', { name: 'Send code' }).click()
    await noticed(ann, 'The mail server refuses this e-mail.')
    await own.getByRole('button', { name: 'Cancel' }).click()
    await own.getByRole('button', { name: 'Remove' }).click()
    await own.getByLabel('E-mail address').waitFor()
  })

  await t.test('each form with unsaved changes is asked about before the page is left', async (t) => {
    await ann.getByLabel('Hide names that begin with a dot').check()
    await ann.getByLabel('Address of the webhook').fill('https://example.com/')
    await ann.getByRole('link', { name: 'Shared links' }).first().click()
    for (const name of ['Profile settings', 'Webhook']) {
      const question = ann.getByRole('dialog').filter({ hasText: name })
      await question.getByRole('button', { name: 'Discard' }).click()
      await question.waitFor({ state: 'detached' })
    }
    await ann.waitForURL(/settings\/shares$/)
    await ann.goBack()
    t.equal(await ann.getByLabel('Address of the webhook').inputValue(), '')
  })

  await t.test('the search in the settings finds the fields', async () => {
    await ann.getByRole('combobox', { name: 'Search settings' }).fill('webhook address')
    await ann.getByRole('option', { name: 'Address of the webhook' }).click()
    await ann.locator('[data-found]').getByLabel('Address of the webhook').waitFor()
  })
})
