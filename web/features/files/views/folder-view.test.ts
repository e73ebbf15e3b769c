import t from 'tap'
import {
  changePreferences,
  closeBrowser,
  itemNamed,
  start,
  violations,
  visibleNames,
} from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const files = { docs: { 'b.txt': '1', 'a.txt': '22' }, 'notes.txt': 'x'.repeat(1500) }

t.test('each folder keeps its view, order and columns, unless the user turns that off', async (t) => {
  const { page } = await start(t, files)
  await itemNamed(page, 'notes.txt').waitFor()
  await changePreferences(page, { singleClick: true })
  const saved = () => page.waitForResponse((reply) => reply.request().method() === 'PUT')
  await itemNamed(page, 'docs').click()
  await itemNamed(page, 'a.txt').waitFor()
  let done = saved()
  await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').click()
  await done
  await page.locator('[role=columnheader][aria-sort=ascending]', { hasText: 'Size' }).waitFor()
  await page.locator('[data-index="0"]').getByRole('link', { name: 'b.txt' }).waitFor()
  t.same(await visibleNames(page), ['b.txt', 'a.txt'])
  await page.getByRole('button', { name: 'Columns' }).click()
  done = saved()
  await page.getByRole('menuitemcheckbox', { name: 'Kind' }).click()
  await done
  await itemNamed(page, 'a.txt').getByText('TXT', { exact: true }).waitFor()
  t.same(await violations(page, '[role=menu]'), [])
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'My files' }).first().click()
  await itemNamed(page, 'notes.txt').waitFor()
  t.equal(await page.getByRole('columnheader', { name: 'Kind' }).count(), 0, 'other folders do not change')
  done = saved()
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await done
  await page.locator('[data-part=card]').first().waitFor()
  await itemNamed(page, 'docs').click()
  await itemNamed(page, 'a.txt').waitFor()
  await page.reload()
  await page.getByRole('columnheader', { name: 'Kind' }).waitFor()
  t.same(await visibleNames(page), ['b.txt', 'a.txt'])
  t.equal(await page.locator('[data-part=card]').count(), 0)
  await changePreferences(page, { rememberViews: false })
  await page.getByRole('columnheader', { name: 'Kind' }).waitFor({ state: 'detached' })
  await page.locator('[data-index="0"]').getByRole('link', { name: 'a.txt' }).waitFor()
})
