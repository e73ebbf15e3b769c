import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { loadConfig } from '#src/config/load.ts'
import { createLog } from '#src/core/log/log.ts'
import { start } from '#src/start/main.ts'
import { closeBrowser, openPage, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const password = 'a long enough passphrase'

/** Starts a server without a given password. Returns its address and what it has printed. */
async function open(t: Test, isTerminal: boolean) {
  const root = t.testdir({ docs: { 'notes.txt': 'x' } })
  const state = await mkdtemp(join(tmpdir(), 'coffer-'))
  const flags = ['--root', root, '--port', '0', '--database', `${state}/state.json`, '--username', 'ann']
  const config = await loadConfig(flags, {})
  let said = ''
  const print = (line: string) => {
    said += `${line}\n`
  }
  const log = createLog({ target: '', format: 'text' })
  const server = await start({ ...config, stopTimeoutMs: 0 }, { log, print, isTerminal })
  t.teardown(async () => {
    await server.close()
    await rm(state, { recursive: true })
  })
  return { address: server.url.replace(/\/$/, ''), said }
}

/** Waits until the colours of the button have changed back. */
async function settled(page: Page): Promise<void> {
  await page.locator('button[type=submit]:not([aria-disabled])').waitFor()
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)))
}

t.test('a visitor of a new server enters the code from its log and becomes the administrator', async (t) => {
  const { address, said } = await open(t, false)
  const [, code = ''] = /the code (\S+)/.exec(said) ?? []
  const page = await openPage(t)
  await page.goto(`${address}/files/docs/`)
  await page.waitForURL(`${address}/setup`)
  await page.waitForFunction(() => document.title === 'Set up Coffer – Coffer')
  t.equal(await page.getByLabel('Username').inputValue(), 'ann', 'the name of --username is proposed')
  t.same(await violations(page), [])
  // The whole form works with the keyboard: the first field has the focus.
  await page.keyboard.type('AAAA-BBBB-CCCC')
  // Between both passwords is the button that shows the first one.
  for (const text of ['', password, '', 'something else']) {
    await page.keyboard.press('Tab')
    await page.keyboard.type(text)
  }
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText("Passwords don't match").waitFor()
  await page.getByLabel('Confirm new password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('This code is wrong.').waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'code')
  await settled(page)
  t.same(await violations(page), [], 'with an error')
  const other = await openPage(t)
  await other.goto(address)
  await other.getByLabel('Code').fill(code)
  await page.getByLabel('Code').fill(` ${code.toLowerCase().replaceAll('-', '')}`)
  await page.getByRole('button', { name: 'Create the administrator' }).click()
  await page.getByRole('link', { name: 'docs' }).waitFor()
  t.equal(page.url(), `${address}/files/`)
  await other.getByLabel('New password', { exact: true }).fill(password)
  await other.getByLabel('Confirm new password').fill(password)
  await other.keyboard.press('Enter')
  await other.getByRole('alert').getByText('This server has been set up already.').waitFor()
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.waitForFunction(() => document.title === 'Sign in – Coffer')
})

t.test('a user signs in with a generated password, chooses another one and continues', async (t) => {
  const { address, said } = await open(t, true)
  const [, generated = ''] = /password (\S+) /.exec(said) ?? []
  const page = await openPage(t)
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.request().method() === 'GET' && response.status() === 403) refused.push(response.url())
  })
  await page.goto(`${address}/files/docs/`)
  await page.getByLabel('Username').fill('ann')
  await page.getByLabel('Password').fill(generated)
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.title === 'Choose a new password – Coffer')
  await page.getByText('You are signed in as ann').waitFor()
  t.same(await violations(page), [])
  await page.goto(`${address}/files/docs/`)
  const choose = async (one: string, other: string) => {
    await page.getByLabel('New password', { exact: true }).fill(one)
    await page.getByLabel('Confirm new password').fill(other)
    await page.keyboard.press('Enter')
  }
  for (const [one, other, sentence] of [
    [password, 'something else', "Passwords don't match"],
    ['short', 'short', 'This password is too short. Use at least 12 characters.'],
    ['ann-ann-ann-ann', 'ann-ann-ann-ann', 'This password is too easy to guess.'],
    [generated, generated, 'Choose a password that differs from the current one.'],
  ] as const) {
    await choose(one, other)
    await page.getByRole('alert').getByText(sentence).waitFor()
    await page.waitForFunction(() => document.activeElement?.hasAttribute('aria-invalid'))
  }
  await settled(page)
  t.same(await violations(page), [], 'with an error')
  await choose(password, password)
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  t.equal(page.url(), `${address}/files/docs/`, 'the page that was requested')
  await page.getByRole('tree').getByRole('treeitem', { name: 'docs' }).waitFor()
  t.strictSame(refused, [], 'nothing was requested too early')
  await page.reload()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
})

t.test('a user who does not choose a password can sign out, also on a small dark screen', async (t) => {
  const { address, said } = await open(t, true)
  const [, generated = ''] = /password (\S+) /.exec(said) ?? []
  const page = await openPage(t, { viewport: { width: 390, height: 500 }, colorScheme: 'dark', locale: 'ar' })
  await page.goto(`${address}/files/docs/`)
  await page.locator('input[name=username]').fill('ann')
  await page.locator('input[name=password]').fill(generated)
  await page.keyboard.press('Enter')
  await page.locator('input[name=confirm]').waitFor()
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.dir), 'rtl')
  t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
  await page.locator('button:not([type=submit])').last().click()
  await page.locator('input[name=username]').waitFor()
})
