import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('a name with a line break stays on one line, and the break is a sign', async (t) => {
  const { page } = await start(t, { 'one\ntwo.txt': '', 'plain.txt': '' })
  const height = async (row: ReturnType<typeof itemNamed>) =>
    (await row.getByRole('link').boundingBox())?.height
  const plain = itemNamed(page, 'plain.txt')
  await plain.waitFor()
  for (const view of ['list', 'mosaic']) {
    if (view === 'mosaic') await page.getByRole('button', { name: 'Show as tiles' }).click()
    await page
      .locator(view === 'list' ? '[data-part=row]' : '[data-part=card]')
      .first()
      .waitFor()
    const odd = page.locator('[data-index]').filter({ hasText: 'two.txt' })
    t.match(await odd.getByRole('link').innerText(), 'one\u240atwo.txt', view)
    t.equal(await height(odd), await height(plain), view)
  }
})
