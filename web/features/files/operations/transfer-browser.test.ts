import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, start, violations, visibleNames } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { changeResponses, delayResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test('Move asks for a folder in a tree that works with the keyboard', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a', one: { 'two #?': {} }, zoo: {} })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Move to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('treeitem', { name: 'one' }).waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Move', exact: true }).isDisabled(), 'it is here already')
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByRole('tree').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await dialog.getByRole('treeitem', { name: 'two #?' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await dialog.locator('[role=treeitem][aria-selected=true]', { hasText: 'two #?' }).waitFor()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await itemNamed(page, 'a.txt').waitFor(settled)
  t.equal(await readFile(path.join(root, 'one/two #?/a.txt'), 'utf8'), 'a')
})

t.test('letters typed in the dialog find folders by name, wherever they are', async (t) => {
  const { page, root } = await start(t, {
    'a.txt': 'a',
    one: { deep: { Letters: {} } },
    zoo: { 'let.txt': '' },
  })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Move to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('treeitem', { name: 'one' }).waitFor()
  await page.keyboard.type('lett')
  await dialog.locator('[role=treeitem][aria-selected=true]', { hasText: 'Letters' }).waitFor()
  t.equal(await dialog.getByRole('treeitem').count(), 1, 'files are left out')
  t.same(await violations(page, '[role=dialog]'), [])
  await page.keyboard.press('Escape')
  await dialog.getByRole('treeitem', { name: 'zoo' }).waitFor()
  await page.keyboard.type('letters')
  await dialog.getByRole('treeitem', { name: 'Letters' }).waitFor()
  await page.keyboard.press('Enter')
  await itemNamed(page, 'a.txt').waitFor(settled)
  t.equal(await readFile(path.join(root, 'one/deep/Letters/a.txt'), 'utf8'), 'a')
})

t.test('Copy can create its destination folder, and never copies a folder into itself', async (t) => {
  const { page, root } = await start(t, { folder: { 'in.txt': 'in' } })
  await itemNamed(page, 'folder').click()
  await page.getByRole('button', { name: 'Copy to…' }).click()
  const dialog = page.getByRole('dialog')
  const copy = dialog.getByRole('button', { name: 'Copy', exact: true })
  await dialog.getByRole('treeitem', { name: 'folder' }).click()
  t.ok(await copy.isDisabled())
  await dialog.getByRole('treeitem', { name: 'My files' }).click()
  await dialog.getByRole('button', { name: 'New folder' }).click()
  await dialog.getByLabel('New folder name').fill('fresh')
  await page.keyboard.press('Enter')
  await dialog.locator('[role=treeitem][aria-selected=true]', { hasText: 'fresh' }).waitFor()
  await copy.click()
  await noticed(page, 'Copied ')
  t.ok(existsSync(path.join(root, 'fresh/folder/in.txt')) && existsSync(path.join(root, 'folder/in.txt')))
})

t.test('pastes cut or copied items, and asks about every taken name', async (t) => {
  const taken = { 'a.txt': 'old', 'b.txt': 'old', 'c.txt': 'old' }
  const { page, root } = await start(t, { 'a.txt': 'new', 'b.txt': 'new', 'c.txt': 'new', to: taken })
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'c.txt').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Rename', exact: true }).waitFor(settled)
  await page.keyboard.press('Control+c')
  await noticed(page, '3 items copied. Open a folder and paste.')
  await page.getByRole('button', { name: 'Copy to…' }).waitFor()
  await itemNamed(page, 'to').dblclick()
  // Until the new folder is shown, the key would have no effect.
  await itemNamed(page, 'to').waitFor(settled)
  await page.getByRole('button', { name: 'Paste' }).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+v')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('“a.txt”').waitFor()
  await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
  await dialog.getByText('“b.txt”').waitFor()
  await dialog.getByLabel('Apply to all').check()
  await dialog.getByRole('button', { name: 'Keep both' }).click()
  await itemNamed(page, 'c (1).txt').waitFor()
  const inside = (name: string) => readFile(path.join(root, 'to', name), 'utf8')
  t.equal(await inside('a.txt'), 'new')
  t.equal(await inside('b.txt'), 'old')
  t.equal(await inside('b (1).txt'), 'new')
  t.equal((await readdir(root)).length, 4, 'a copy keeps the originals')
  await itemNamed(page, 'b (1).txt').click()
  await page.keyboard.press('Control+x')
  await page.keyboard.press('Alt+ArrowUp')
  await itemNamed(page, 'to').waitFor()
  await page.keyboard.press('Control+v')
  await itemNamed(page, 'b (1).txt').waitFor()
  t.notOk(existsSync(path.join(root, 'to/b (1).txt')))
})

t.test('the question about a taken name says the path of the folder that has it', async (t) => {
  const { page } = await start(t, { 'a.txt': 'new', in: { deep: { 'a.txt': 'old' } } })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Copy to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('treeitem', { name: 'in' }).waitFor()
  await page.keyboard.type('deep')
  await dialog.locator('[role=treeitem][aria-selected=true]', { hasText: 'deep' }).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByText('“a.txt” is already in “/in/deep/”.').waitFor()
})

t.test('moves or copies four items at a time', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`${n}.txt`, '']))
  const { page, root } = await start(t, { ...many, to: {} })
  await page.getByRole('button', { name: 'More' }).waitFor()
  for (const kind of ['Copy', 'Move']) {
    await itemNamed(page, '0.txt').click()
    await itemNamed(page, '5.txt').click({ modifiers: ['Shift'] })
    await page
      .getByRole('toolbar')
      .getByRole('button', { name: `${kind} to…` })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('treeitem', { name: 'to' }).click()
    if (kind === 'Move')
      for (const name of await readdir(path.join(root, 'to'))) await rm(path.join(root, 'to', name))
    const held = await delayResponses(page, '**/api/resources/*.txt?*', 'PATCH')
    let begun = 0
    page.on('request', (request) => {
      if (request.method() === 'PATCH') begun++
    })
    await dialog.getByRole('button', { name: kind, exact: true }).click()
    await held.waitForCalls(4)
    // This call to the page returns only after all earlier requests have been reported.
    await page.evaluate(() => document.title)
    t.equal(begun, 4, 'the fifth waits')
    held.release()
    await noticed(page, kind === 'Copy' ? 'Copied 6 items to' : 'Moved 6 items to')
    t.equal((await readdir(path.join(root, 'to'))).length, 6)
    await page.unrouteAll()
    page.removeAllListeners('request')
  }
  t.same(await readdir(root), ['to'])
})

t.test('asks about names that are taken during the operation, one after the other', async (t) => {
  const both = { 'a.txt': 'new', 'b.txt': 'new', 'c.txt': 'new' }
  const { page, root } = await start(t, { ...both, to: { 'a.txt': 'old', 'b.txt': 'old', 'c.txt': 'old' } })
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'c.txt').click({ modifiers: ['Shift'] })
  await page.getByRole('toolbar').getByRole('button', { name: 'Copy to…' }).click()
  await page.getByRole('dialog').getByRole('treeitem', { name: 'to' }).click()
  // Simulates names that were taken just after the page loaded the list.
  await changeResponses(page, '**/api/resources/to/', (body) => ({ ...body, items: [] }))
  await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click()
  const question = page.getByRole('dialog')
  const asked: string[] = []
  for (const answer of ['Replace', 'Skip']) {
    const text = question.getByText(/“[abc]\.txt”/)
    await text.waitFor()
    t.equal(await question.count(), 1)
    const name = /[abc]\.txt/.exec((await text.textContent()) ?? '')?.[0] ?? ''
    asked.push(name)
    await question.getByRole('button', { name: answer, exact: true }).click()
    await page.getByText(`“${name}”`).waitFor(settled)
  }
  await question.getByText(/“[abc]\.txt”/).waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor(settled)
  const inside = (name: string) => readFile(path.join(root, 'to', name), 'utf8')
  t.equal(new Set(asked).size, 2)
  await until(async () => (await inside(asked[0] ?? '')) === 'new')
  t.equal(await inside(asked[1] ?? ''), 'old')
})

t.test('dragging items onto folders and breadcrumbs moves them; with Ctrl, it copies them', async (t) => {
  const { page, root } = await start(t, { folder: {}, 'a.txt': 'a', 'b.txt': 'b' })
  await page.getByRole('button', { name: 'Info' }).waitFor()
  const handle = (name: string) => page.getByRole('link', { name, exact: true })
  await handle('a.txt').dragTo(itemNamed(page, 'folder'))
  await itemNamed(page, 'a.txt').waitFor(settled)
  t.same(await visibleNames(page), ['folder', 'b.txt'])
  await page.keyboard.down('Control')
  await handle('b.txt').dragTo(itemNamed(page, 'folder'))
  await page.keyboard.up('Control')
  await itemNamed(page, 'folder').dblclick()
  await itemNamed(page, 'b.txt').waitFor()
  t.ok(existsSync(path.join(root, 'b.txt')))
  // The bar of the selection covers the path until the drag begins.
  await handle('a.txt').hover()
  await page.mouse.down()
  await page.mouse.move(700, 500, { steps: 4 })
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').first().hover()
  await page.mouse.up()
  await itemNamed(page, 'a.txt').waitFor(settled)
  t.ok(existsSync(path.join(root, 'a.txt')))
})
