import { readdirSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'
import { callerOf } from '#web/testing/call.ts'
import { shownName } from './format/shown-name.ts'

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

t.test('each control character has a sign, also those that change the direction of the text', async (t) => {
  t.equal(shownName('Icon\r'), 'Icon␍')
  t.equal(shownName('a\tb\n\u0000\u001b\u007f'), 'a␉b␊␀␛␡')
  t.equal(shownName('a\u0085b'), 'a␦b')
  t.equal(shownName('a\u061cb\u200ec\u200fd\u202ae\u202ef\u2066g\u2069h'), 'a␦b␦c␦d␦e␦f␦g␦h')
  t.equal(shownName('plain ä 👩‍👩‍👧 ␍.txt'), 'plain ä 👩‍👩‍👧 ␍.txt')
})

t.test('a name with a right-to-left override shows its end, and does not look like a picture', async (t) => {
  const { page } = await start(t, { 'evil\u202egnp.txt': '' })
  await itemNamed(page, 'evil␦gnp.txt').click()
  await page.keyboard.press('Delete')
  await page.getByText(/^Moved .evil␦gnp\.txt. to the trash$/).waitFor()
})

t.test(
  'the file Icon of macOS, whose name ends with a carriage return, is used like any other',
  async (t) => {
    const { page, root } = await start(t, {
      'Icon\r': 'text of the icon',
      'in\nside': { 'Icon\r': 'a' },
      Icon: '',
    })
    const icon = itemNamed(page, 'Icon␍')
    await icon.dblclick()
    await page.getByText('text of the icon').waitFor()
    t.match(await page.title(), /^Icon␍/)
    t.match(await page.locator('[data-part=file] h1').innerText(), 'Icon␍')
    await page.goBack()
    await icon.click()
    await page.keyboard.press('F2')
    const field = page.getByRole('textbox', { name: 'New name' })
    await field.waitFor()
    t.equal(await page.getByRole('alert').count(), 0, 'the old name is no error')
    await page.keyboard.press('Enter')
    await field.waitFor({ state: 'detached' })
    t.ok(readdirSync(root).includes('Icon\r'), 'a name that is not changed stays')
    await page.keyboard.press('F2')
    await field.fill('renamed')
    await page.keyboard.press('Enter')
    await itemNamed(page, 'renamed').waitFor()
    t.strictSame(readdirSync(root).sort(), ['Icon', 'in\nside', 'renamed'])
    await itemNamed(page, 'in␊side').dblclick()
    await page.locator('[data-part=breadcrumbs]').getByText('in␊side').waitFor()
    await icon.click()
    await page.keyboard.press('Delete')
    await page.getByText(/^Moved .Icon␍. to the trash$/).waitFor()
    await icon.waitFor({ state: 'detached' })
    t.strictSame(readdirSync(path.join(root, 'in\nside')), [])
  },
)

t.test('screen readers get a long name as one word, on the page of the file and in all lists', async (t) => {
  const name = 'Rechnung-2026-024.txt'
  const { page, address, root } = await start(t, { [name]: 'paid' }, { path: `/files/${name}` })
  await page.getByRole('heading', { name, exact: true }).waitFor()
  const call = await callerOf(page)
  await call('PUT', `/api/starred/${name}`)
  await call('PUT', `/api/resources/${name}`, 'paid twice')
  await page.goto(address)
  await page.getByRole('row', { name: `File ${name}` }).waitFor()
  await rename(path.join(root, name), path.join(root, 'elsewhere'))
  await page.goto(`${address}/starred`)
  await page.getByText('No longer there').waitFor()
  t.match(await page.getByRole('main').ariaSnapshot(), name)
  t.equal(await page.getByText(name).innerText(), name, 'and it can be copied')
  await rename(path.join(root, 'elsewhere'), path.join(root, name))
  await call('POST', `/api/recent/${name}`)
  await page.goto(`${address}/recent`)
  await page.getByRole('row', { name: `File ${name}` }).waitFor()
  await call('DELETE', `/api/resources/${name}`)
  await page.goto(`${address}/trash`)
  await page.getByRole('row', { name: `File ${name}` }).waitFor()
})
