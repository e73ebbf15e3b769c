import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { variants } from '#src/testing/long.ts'
import { closeBrowser, itemNamed, start, testUser, violations } from '#web/testing/browser.ts'
import { changeResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

const text = (page: Page, name: string) => page.getByRole('textbox', { name })

async function open(page: Page, name: string) {
  await itemNamed(page, name).dblclick()
  await text(page, name).waitFor()
  return text(page, name)
}

// Matches the whole text, because “Unsaved” contains “saved”.
const status = (page: Page, words: string) =>
  page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${words}$`) })
    .waitFor()

t.test(
  'the save key and the button save a text and keep all other bytes, such as the BOM and CRLF',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': '\uFEFFone\r\ntwo\r\n' })
    const area = await open(page, 'a.txt')
    t.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), 'nothing to save')
    await area.press('ControlOrMeta+End')
    await page.keyboard.type('three')
    await page.keyboard.press('Enter')
    await status(page, 'Unsaved changes')
    await page.keyboard.press('ControlOrMeta+s')
    await status(page, 'Saved')
    t.equal(await readFile(join(root, 'a.txt'), 'utf8'), '\uFEFFone\r\ntwo\r\nthree\r\n')
    await area.press('ControlOrMeta+Home')
    await page.keyboard.type('zero ')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await status(page, 'Saved')
    t.equal(await readFile(join(root, 'a.txt'), 'utf8'), '\uFEFFzero one\r\ntwo\r\nthree\r\n')
  },
)

t.test('saving keeps mixed line endings', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'one\r\ntwo\nthree\rfour\n' })
  const area = await open(page, 'a.txt')
  await area.press('ControlOrMeta+End')
  await page.keyboard.type('five')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saved')
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'one\r\ntwo\nthree\rfour\nfive')
})

t.test('never overwrites someone else’s change without a question', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'mine' })
  const area = await open(page, 'a.txt')
  const change = async (word: string) => {
    await area.press('ControlOrMeta+End')
    await page.keyboard.type(` ${word}`)
    await writeFile(join(root, 'a.txt'), `theirs, ${word}`)
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByRole('dialog', { name: 'Someone else has changed this file' }).waitFor()
  }
  await change('first')
  await page.getByRole('button', { name: 'Reload' }).click()
  await area.getByText('theirs, first').waitFor()
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'theirs, first')
  await change('second')
  await page.getByRole('button', { name: 'Save as…' }).click()
  await page.getByRole('dialog', { name: 'Save as' }).getByLabel('New name').fill('a.txt')
  await page.keyboard.press('Enter')
  await page.getByText('An item with this name already exists.').waitFor()
  await page.getByLabel('New name').fill('b.txt')
  await page.keyboard.press('Enter')
  await text(page, 'b.txt').waitFor()
  t.equal(await readFile(join(root, 'b.txt'), 'utf8'), 'theirs, first second')
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'theirs, second')
  await page.getByRole('button', { name: 'Close' }).click()
  const reopened = await open(page, 'a.txt')
  await reopened.press('ControlOrMeta+End')
  await change('third')
  await page.getByRole('button', { name: 'Overwrite' }).click()
  await status(page, 'Saved')
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'theirs, second third')
})

t.test('asks before every way of leaving discards unsaved changes', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a', 'b.txt': 'b' })
  const area = await open(page, 'a.txt')
  await area.press('ControlOrMeta+End')
  await page.keyboard.type('!')
  const question = page.getByRole('dialog', { name: 'Save your changes?' })
  const stay = async () => {
    await question.waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    t.equal(await area.textContent(), 'a!')
    t.match(page.url(), /\/files\/a\.txt$/)
  }
  await page.getByRole('button', { name: 'Close' }).click()
  await stay()
  await page.goBack()
  await stay()
  const dialogType = new Promise<string>((resolve) =>
    page.once('dialog', (dialog) => {
      resolve(dialog.type())
      void dialog.dismiss()
    }),
  )
  await page.close({ runBeforeUnload: true })
  t.equal(await dialogType, 'beforeunload', 'the browser asks before the tab is closed')
  await page.getByRole('main', { name: 'a.txt' }).getByRole('button', { name: 'Rename' }).click()
  await stay()
  await page.goBack()
  await question.waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).last().click()
  await itemNamed(page, 'a.txt').waitFor()
  await page.waitForURL(/\/files\/$/)
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'a!')
  const other = await open(page, 'b.txt')
  await other.press('ControlOrMeta+End')
  await page.keyboard.type('!')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await itemNamed(page, 'b.txt').waitFor()
  t.equal(await readFile(join(root, 'b.txt'), 'utf8'), 'b')
})

t.test('the editor obeys the content security policy and is accessible', async (t) => {
  for (const colorScheme of variants(['light', 'dark'] as const)) {
    const { page } = await start(t, { 'b.ts': 'const a = "<script>" // 1\n\tindented\n' }, { colorScheme })
    const policyErrors: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) policyErrors.push(message.text())
    })
    const area = await open(page, 'b.ts')
    await area.locator('span').first().waitFor()
    await area.press('ControlOrMeta+f')
    await page.getByRole('textbox', { name: 'Find' }).waitFor()
    t.same(await violations(page), [], colorScheme)
    t.same(policyErrors, [])
    t.equal(
      await area
        .locator('.cm-line')
        .first()
        .evaluate((line) => getComputedStyle(line).unicodeBidi),
      'plaintext',
      'its styles are loaded',
    )
  }
})

t.test('restores unsaved changes when the session ends and the user signs in again', async (t) => {
  const { page, root, address } = await start(t, { 'a.txt': 'a' })
  const area = await open(page, 'a.txt')
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(' long thought')
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const logout = await fetch(`${address}/api/logout`, { method: 'POST', headers: { 'X-Auth': token } })
  t.ok(logout.ok)
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill(testUser.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await status(page, 'Your unsaved changes were restored.')
  t.equal(await text(page, 'a.txt').textContent(), 'a long thought')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saved')
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'a long thought')
})

t.test(
  'shows a text read-only without permission to change it, and an error without permission to read it',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': 'words' })
    for (const [right, seen] of [
      ['modify', 'words'],
      ['download', ''],
    ] as const) {
      await changeResponses(page, '**/api/resources/a.txt', ({ content, ...body }: { content?: string }) =>
        right === 'modify' ? { ...body, content, type: 'textImmutable' } : body,
      )
      await itemNamed(page, 'a.txt').dblclick()
      const frame = page.getByRole('main', { name: 'a.txt' })
      await frame.waitFor()
      if (seen) {
        await text(page, 'a.txt').press('ControlOrMeta+End')
        await page.keyboard.type('more')
        await page.keyboard.press('Delete')
        await status(page, 'Read-only')
        t.equal(await text(page, 'a.txt').textContent(), seen)
        t.equal(await text(page, 'a.txt').getAttribute('aria-readonly'), 'true')
        t.equal(await frame.getByRole('button', { name: 'Save', exact: true }).count(), 0)
      } else {
        await frame.getByRole('alert').getByText("You don't have permissions to access this.").waitFor()
        t.equal(await text(page, 'a.txt').count(), 0)
      }
      await page.getByRole('button', { name: 'Close' }).click()
      await itemNamed(page, 'a.txt').waitFor()
      await page.unroute('**/api/resources/a.txt')
    }
    t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'words')
  },
)

t.test('Escape, then Tab, leaves the text; Tab alone indents', async (t) => {
  const { page } = await start(t, { 'a.ts': 'if (a) {\n    b\n}\nc' })
  const area = await open(page, 'a.ts')
  const hint = page.getByText('Press Esc, then Tab to leave the editor')
  await area.click()
  await area.press('ControlOrMeta+End')
  await page.keyboard.press('Tab')
  t.equal(
    await area.locator('.cm-line').last().textContent(),
    '    c',
    'the same indentation as the other lines',
  )
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  t.notOk(await area.evaluate((one) => one.matches(':focus')))
  await page.getByRole('toolbar', { name: 'View' }).locator(':focus').waitFor()
  t.equal(await hint.count(), 0, 'the pointer has set the focus into the text')
  await page.keyboard.press('Shift+Tab')
  await hint.waitFor()
  await area.click()
  await hint.waitFor({ state: 'detached' })
})

t.test('finds and replaces words, and turns off line wrapping', async (t) => {
  const { page } = await start(t, { 'a.txt': 'red green red' })
  const area = await open(page, 'a.txt')
  const signs = await page
    .locator('[data-part=file]')
    .getByRole('button')
    .locator('svg')
    .evaluateAll((all) => all.map((one) => one.getAttribute('class')?.split(' ')[0]))
  t.equal(new Set(signs).size, signs.length, 'no two buttons have the same sign')
  await page.getByRole('button', { name: 'Find and replace' }).click()
  await page.getByRole('textbox', { name: 'Find' }).fill('red')
  await page.getByRole('textbox', { name: 'Replace with' }).fill('blue')
  await page.getByRole('button', { name: 'Replace all' }).click()
  t.equal(await area.textContent(), 'blue green blue')
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Find' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Wrap long lines', pressed: true }).click()
  await page.getByRole('button', { name: 'Wrap long lines', pressed: false }).waitFor()
})

t.test('a text that was saved is shown as it was saved after a visit of the settings', async (t) => {
  const { page } = await start(t, { 'a.txt': 'one' })
  const area = await open(page, 'a.txt')
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(' two')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await status(page, 'Saved')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find anything' }).getByRole('combobox').fill('health')
  await page.getByRole('option', { name: 'Health check' }).click()
  await page.waitForURL('**/settings/doctor')
  await page.goBack()
  await area.waitFor()
  t.equal(await area.innerText(), 'one two')
})

t.test('never shows one user’s unsaved text to the next user who signs in', async (t) => {
  const { page, address } = await start(t, { 'a.txt': 'for ann', homes: { 'b.txt': 'for bob' } })
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const headers = { 'X-Auth': token, 'Content-Type': 'application/json' }
  const data = { username: 'bob', password: 'some other long passphrase', scope: '/homes' }
  const body = JSON.stringify({ what: 'user', which: [], data, current_password: testUser.password })
  const created = await fetch(`${address}/api/users`, { method: 'POST', headers, body })
  t.equal(created.status, 201)
  const area = await open(page, 'a.txt')
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(' alone')
  await fetch(`${address}/api/logout`, { method: 'POST', headers: { 'X-Auth': token } })
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByLabel('Username').fill(data.username)
  await page.getByLabel('Password').fill(data.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText("This location can't be reached.").waitFor()
  t.notMatch(await page.content(), /for ann/)
})

t.test('Info is closed with Esc, and typing goes on at the cursor in the text', async (t) => {
  const { page } = await start(t, { 'a.txt': 'one two' })
  const area = await open(page, 'a.txt')
  await area.press('ControlOrMeta+End')
  await page.keyboard.press('ControlOrMeta+i')
  await page.getByRole('dialog', { name: 'Info' }).waitFor()
  await page.keyboard.press('Escape')
  await area.and(page.locator(':focus')).waitFor()
  await page.keyboard.type(' three')
  await area.getByText('one two three').waitFor()
  t.pass('the text has the focus')
})
