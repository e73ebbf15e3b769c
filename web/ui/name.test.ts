import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'
import { callerOf } from '#web/testing/call.ts'

t.teardown(closeBrowser)

t.test('a name with a line break stays on one line, and the break is a sign', async (t) => {
  const { page } = await start(t, { 'one\ntwo.txt': '', 'plain.txt': '' })
  const height = async (row: ReturnType<typeof itemNamed>) =>
    (await row.getByRole('link').boundingBox())?.height
  const plain = itemNamed(page, 'plain.txt')
  await plain.waitFor()
  for (const view of ['list', 'mosaic']) {
    if (view === 'mosaic') await page.getByRole('button', { name: 'Show as mosaic' }).click()
    await page
      .locator(view === 'list' ? '[data-part=row]' : '[data-part=card]')
      .first()
      .waitFor()
    const odd = page.locator('[data-index]').filter({ hasText: 'two.txt' })
    t.match(await odd.getByRole('link').innerText(), 'one\u240atwo.txt', view)
    t.equal(await height(odd), await height(plain), view)
  }
})

t.test('screen readers get a long name as one word, on the page of the file and in all lists', async (t) => {
  const name = 'Rechnung-2026-024.txt'
  const { page, address } = await start(t, { [name]: 'paid' }, { path: `/files/${name}` })
  await page.getByRole('heading', { name, exact: true }).waitFor()
  const call = await callerOf(page)
  await call('PUT', `/api/resources/${name}`, 'paid twice')
  await page.goto(address)
  await page.getByRole('row', { name: `File ${name}` }).waitFor()
  await call('DELETE', `/api/resources/${name}`)
  await page.goto(`${address}/trash`)
  await page.getByRole('row', { name: `File ${name}` }).waitFor()
  await page.goto(`${address}/recent`)
  await page.getByText('No longer there').waitFor()
  t.match(await page.getByRole('main').ariaSnapshot(), name)
  t.equal(await page.getByText(name).innerText(), name, 'and it can be copied')
})
