import type { Locator } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, openPage, serve, start, testUser } from '#web/testing/browser.ts'
import { accountButton } from '#web/testing/places.ts'
import { translatorFor } from '#web/testing/words.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

/** The left and right edge of an element, in pixels. */
async function edges(what: Locator) {
  const { x, width } = (await what.boundingBox()) ?? { x: 0, width: 0 }
  return { left: x, right: x + width }
}

t.test(
  'in right-to-left pages, ArrowLeft opens a folder of the tree, and menus open on the right',
  async (t) => {
    const { page } = await start(t, { one: { two: {} }, 'a.txt': '' })
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl'
    })
    await itemNamed(page, 'a.txt').click()
    await page.getByRole('button', { name: 'Move to…' }).click()
    const dialog = page.getByRole('dialog')
    const tree = dialog.getByRole('tree')
    await dialog.getByRole('treeitem', { name: 'one' }).waitFor()
    await tree.press('ArrowDown')
    await tree.press('ArrowLeft')
    const two = dialog.getByRole('treeitem', { name: 'two' })
    await two.waitFor()
    const sign = dialog.getByRole('treeitem', { name: 'one' }).locator('svg').first()
    t.equal(await sign.evaluate((svg) => getComputedStyle(svg).scale), '-1 1')
    await tree.press('ArrowRight')
    await two.waitFor(settled)
    await page.keyboard.press('Escape')
    await dialog.waitFor(settled)
    await page.getByRole('grid').press('Shift+F10')
    const menu = page.getByRole('menu')
    await menu.waitFor()
    const row = await edges(itemNamed(page, 'a.txt'))
    t.ok((await edges(menu)).right > row.right - 300, 'at the start of the line')
  },
)

t.test('in right-to-left pages, a shortcut is written as on the keyboard', async (t) => {
  const { page } = await start(t, { 'a.txt': '' }, { locale: 'ar' })
  await itemNamed(page, 'a.txt').waitFor()
  await page.keyboard.press('F1')
  const keys = page.getByRole('dialog').getByText('Alt+↑', { exact: true })
  await keys.waitFor()
  const [first, last] = await keys.evaluate((one) => {
    const text = one.firstChild as Text
    return [0, text.length - 1].map((at) => {
      const range = document.createRange()
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      return range.getBoundingClientRect().left
    })
  })
  t.ok((first ?? 0) < (last ?? 0), 'the arrow is after Alt, on its right')
})

t.test(
  'in right-to-left pages, line numbers are on the side where the lines of the text begin',
  async (t) => {
    const files = { 'code.ts': 'const a = 1\n', 'words.txt': 'مرحبا بالعالم\n' }
    const { page, address } = await start(t, files, { locale: 'ar' })
    for (const [name, isLeft] of [
      ['code.ts', true],
      ['words.txt', false],
    ] as const) {
      await page.goto(`${address}/files/${name}`)
      await page.getByRole('textbox', { name }).waitFor()
      const [gutter, text] = [
        await edges(page.locator('.cm-gutters')),
        await edges(page.locator('.cm-content')),
      ]
      t.equal(gutter.left < text.left, isLeft, name)
    }
  },
)

t.test('in Arabic, menus align with the end of lines, whatever the language of the browser', async (t) => {
  const address = await serve(t, t.testdir({ 'a.txt': '' }))
  const post = (path: string, body: object) =>
    fetch(address + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    })
  const login = await post('/api/login', { username: testUser.name, password: testUser.password })
  const token = await login.text()
  await fetch(`${address}/api/users/1`, {
    method: 'PUT',
    body: JSON.stringify({ what: 'user', which: ['locale'], data: { id: 1, locale: 'ar' } }),
    headers: { 'Content-Type': 'application/json', 'X-Auth': token },
  })
  const newToken = await (
    await post('/api/login', { username: testUser.name, password: testUser.password })
  ).text()
  const page = await openPage(t)
  await page.goto(`${address}/api/docs`)
  await page.evaluate((token) => localStorage.setItem('jwt', token), newToken)
  await page.goto(address)
  await itemNamed(page, 'a.txt').waitFor()
  t.equal(await page.getAttribute('html', 'dir'), 'rtl')
  const button = page.getByRole('toolbar').locator('[aria-haspopup=menu]').last()
  await button.click()
  const menu = page.getByRole('menu')
  await menu.waitFor()
  t.ok(Math.abs((await edges(menu)).left - (await edges(button)).left) < 2)
  await page.keyboard.press('Escape')
  await menu.waitFor(settled)
  await (await accountButton(page, await translatorFor('ar'))).click()
  const signOutIcon = menu.locator('.lucide-log-out')
  t.equal(
    await signOutIcon.evaluate((svg) => getComputedStyle(svg).scale),
    '-1 1',
    'the sign-out icon is mirrored',
  )
})
