import { join } from 'node:path'
import t, { type Test } from 'tap'
import { closeBrowser, openPage, serve, signIn, testUser, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/** Opens a folder as a user who may run these programs. */
async function open(t: Test, more: readonly string[] = ['--enable-exec']) {
  const root = join(t.testdir({ root: { docs: { 'a.txt': '' }, 'b.txt': '' } }), 'root')
  const address = await serve(t, root, more)
  const login = await fetch(`${address}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ username: testUser.name, password: testUser.password }),
  })
  const commands = ['ls', 'echo', 'touch', 'sleep', 'false']
  const body = {
    what: 'user',
    which: ['commands'],
    current_password: testUser.password,
    data: { id: 1, commands },
  }
  const token = await login.text()
  const changed = await fetch(`${address}/api/users/1`, {
    method: 'PUT',
    headers: { 'X-Auth': token, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  t.equal(changed.status, 200)
  const page = await openPage(t)
  await signIn(page, address)
  return {
    page,
    shell: page.getByRole('region', { name: 'Shell' }),
    toggle: page.getByRole('button', { name: 'Shell' }),
  }
}

t.test('the shell runs a command in the shown folder and shows its output', async (t) => {
  const { page, shell, toggle } = await open(t)
  await toggle.click()
  const line = shell.getByRole('textbox', { name: 'Command' })
  await line.waitFor()
  await page.keyboard.type('ls')
  await page.keyboard.press('Enter')
  await shell.getByText('b.txt').waitFor()
  t.match(await shell.getByRole('log').textContent(), /\/ > ls\s+b\.txt\s+docs|\/ > ls\s+docs|b\.txt/)
  await line.fill('touch made.txt')
  await line.press('Enter')
  await page.getByRole('link', { name: 'made.txt' }).waitFor()
  await page.getByRole('link', { name: 'docs' }).first().dblclick()
  await page.getByRole('link', { name: 'a.txt' }).waitFor()
  await line.fill('echo here; id')
  await line.press('Enter')
  await shell.getByText('here; id', { exact: true }).waitFor()
  await line.fill('id')
  await line.press('Enter')
  await shell.getByText('Command not allowed.').waitFor()
  await line.fill('false')
  await line.press('Enter')
  await shell.getByText('exit 1').waitFor()
  t.strictSame(await violations(page), [])
})

t.test(
  'arrow keys browse the history, clear empties the output, Stop ends a command, exit closes',
  async (t) => {
    const { page, shell, toggle } = await open(t)
    await toggle.click()
    const line = shell.getByRole('textbox', { name: 'Command' })
    for (const text of ['echo one', 'echo two']) {
      await line.fill(text)
      await line.press('Enter')
      await shell.getByText(text.slice(5), { exact: true }).waitFor()
    }
    await line.press('ArrowUp')
    t.equal(await line.inputValue(), 'echo two')
    await line.press('ArrowUp')
    t.equal(await line.inputValue(), 'echo one')
    await line.press('ArrowDown')
    await line.press('ArrowDown')
    t.equal(await line.inputValue(), '')
    await line.fill('clear')
    await line.press('Enter')
    t.equal(await shell.getByRole('log').textContent(), '')
    await line.fill('sleep 1000')
    await line.press('Enter')
    await shell.getByRole('button', { name: 'Stop' }).waitFor()
    t.equal(await line.isEditable(), false, 'one command at a time')
    await shell.getByRole('button', { name: 'Stop' }).click()
    await shell.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    await line.fill('exit')
    await line.press('Enter')
    await shell.waitFor({ state: 'detached' })
    t.ok(
      await toggle.evaluate((button) => button === document.activeElement),
      'the focus returns to the button',
    )
    await toggle.click()
    await shell.getByRole('textbox').press('Escape')
    await shell.waitFor({ state: 'detached' })
    t.notOk(await page.getByRole('log').count())
  },
)

t.test('there is no shell without --enable-exec', async (t) => {
  const { page, toggle } = await open(t, [])
  await page.getByRole('button', { name: 'Search' }).first().waitFor()
  t.equal(await toggle.count(), 0)
})
