import type { Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import {
  changePreferences,
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  start,
  testUser,
  violations,
} from '#web/testing/browser.ts'
import { confirmDeletion } from '#web/testing/dialogs.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

/** Delays the calls of a method to an address until the returned function is called. The server then answers them. */
async function hold(page: Page, method: string, address: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    if (route.request().method() === method) await promise
    await route.continue()
  })
  return resolve
}

t.test(
  'a button shows a spinner during its work, not while a dialog is open, and then a check mark',
  async (t) => {
    const { page } = await start(t, { 'a.txt': 'text', 'b.txt': '' })
    await changePreferences(page, { askBeforeTrash: true })
    await itemNamed(page, 'b.txt').click()
    const remove = page.getByRole('toolbar').getByRole('button', { name: 'Delete' })
    const goOn = await hold(page, 'POST', '**/api/delete/**')
    await remove.click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    const sign = page.locator('button[data-tip=Delete][data-phase=busy] > i')
    await sign.waitFor({ state: 'attached' })
    t.notOk(await sign.isVisible(), 'nothing is running yet')
    await confirmDeletion(page)
    await sign.waitFor()
    t.equal(await remove.getAttribute('aria-busy'), 'true')
    t.same(await violations(page, '[role=toolbar]'), [])
    goOn()
    await itemNamed(page, 'b.txt').waitFor(settled)
    await itemNamed(page, 'a.txt').dblclick()
    const text = page.getByRole('main', { name: 'a.txt' })
    await text.getByRole('textbox').pressSequentially('new ')
    const saved = await hold(page, 'PUT', '**/api/resources/**')
    const save = text.getByRole('button', { name: 'Save' })
    await save.click()
    await text.locator('button[aria-busy=true]', { hasText: 'Save' }).waitFor()
    saved()
    await text.locator('button[data-phase=done]', { hasText: 'Save' }).waitFor()
    await text.locator('button[data-phase]').waitFor(settled)
  },
)

t.test('a button that is pressed twice shows the progress of its last work', async (t) => {
  const { page } = await start(t, { 'a.txt': 'text' }, { path: '/files/a.txt' })
  const held: (() => void)[] = []
  await page.route('**/api/resources/a.txt', async (route) => {
    if (route.request().method() === 'PUT') await new Promise<void>((resolve) => held.push(resolve))
    await route.continue()
  })
  const text = page.getByRole('main', { name: 'a.txt' })
  const save = text.getByRole('button', { name: 'Save' })
  await text.getByRole('textbox').pressSequentially('new ')
  await save.click()
  await until(() => held.length === 1)
  await text.getByRole('textbox').pressSequentially('and newer ')
  await save.click()
  const busy = text.locator('button[data-phase=busy]', { hasText: 'Save' })
  await busy.waitFor()
  held[0]?.()
  await until(() => held.length === 2)
  t.equal(await busy.count(), 1)
  held[1]?.()
  await text.locator('button[data-phase=done]', { hasText: 'Save' }).waitFor()
})

t.test('the sign-in button shows a spinner, without animation if reduced motion is preferred', async (t) => {
  const address = await serve(t, t.testdir({}))
  const page = await openPage(t, { reducedMotion: 'reduce' })
  await page.goto(address)
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill(testUser.password)
  const goOn = await hold(page, 'POST', '**/api/login')
  await page.getByRole('button', { name: 'Sign in' }).click()
  const sign = page.locator('button[aria-busy=true] > i')
  await sign.waitFor()
  t.equal(await sign.evaluate((one) => one.getAnimations().length), 0)
  t.same(await violations(page), [])
  goOn()
  await page.getByRole('button', { name: 'Sign in' }).waitFor(settled)
})

t.test('the bar of the selection shows the number of selected items', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '' })
  const bar = page.getByRole('toolbar').and(page.locator('[data-part=selection]'))
  await itemNamed(page, 'a.txt').click()
  await bar.getByText('1 selected', { exact: true }).waitFor()
  await itemNamed(page, 'c.txt').click({ modifiers: ['Shift'] })
  await bar.getByText('3 selected', { exact: true }).waitFor()
  t.same(await violations(page, '[role=toolbar]'), [])
})
