import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { chooseNew } from '#web/testing/places.ts'
import { changeResponses, delayResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test('creates and opens a new file, and explains a taken name', async (t) => {
  const { page, root } = await start(t, { 'taken.txt': 'keep me' })
  await itemNamed(page, 'taken.txt').waitFor()
  await chooseNew(page, 'New file')
  const dialog = page.getByRole('dialog', { name: 'New file' })
  await dialog.getByLabel('Name').fill('taken.txt')
  await page.keyboard.press('Enter')
  await dialog.getByText('An item with this name already exists.').waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByLabel('Name').fill('  notes #1?.md ')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/files/notes%20%231%3F.md')
  t.equal(await readFile(path.join(root, 'notes #1?.md'), 'utf8'), '')
  t.equal(await readFile(path.join(root, 'taken.txt'), 'utf8'), 'keep me')
})

t.test('the rename dialog checks the name while typing, and allows a change of case only', async (t) => {
  const { page, root } = await start(t, { 'Holiday.txt': 'a' }, { viewport: { width: 700, height: 700 } })
  await itemNamed(page, 'Holiday.txt').click()
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await page.keyboard.press('F2')
  const dialog = page.getByRole('dialog')
  const name = dialog.getByLabel('New name')
  const rename = dialog.getByRole('button', { name: 'Rename' })
  t.ok(await rename.isDisabled(), 'the name is unchanged')
  for (const [typed, said] of [
    ['a/b', "A name can't be “.” or “..” or contain a slash."],
    ['..', "A name can't be “.” or “..” or contain a slash."],
    ['🎉'.repeat(80), 'This name is too long.'],
  ] as const) {
    await name.fill(typed)
    await dialog.getByText(said).waitFor()
    t.ok(await rename.isDisabled())
  }
  await name.fill('Holiday.md')
  await dialog.getByText('The extension will change from .txt to .md.').waitFor()
  await name.fill('holiday.TXT')
  await dialog.getByText('The extension').waitFor(settled)
  await page.keyboard.press('Enter')
  await itemNamed(page, 'holiday.TXT').waitFor()
  t.same(await readdir(root), ['holiday.TXT'])
})

t.test('the delete dialog lists the names: the first ones and the number of the others', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`file ${n}.txt`, '']))
  const { page } = await start(t, many)
  await page.getByRole('grid').press('Control+a')
  await page.keyboard.press('Shift+Delete')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^8 items will be /).waitFor()
  t.same(await dialog.getByRole('listitem').allInnerTexts(), [
    ...Array.from({ length: 5 }, (_, n) => `file ${n}.txt`),
    'and 3 more',
  ])
})

t.test(
  'a deletion waits for the answer whether there is a trash, and a second press adds nothing',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': '', 'b.txt': '' })
    const { waitForCalls, release } = await delayResponses(page, '**/api/keeping/**')
    let deletions = 0
    page.on('request', (request) => {
      if (request.url().includes('/api/delete/')) deletions++
    })
    await itemNamed(page, 'a.txt').click()
    await page.keyboard.press('Delete')
    await waitForCalls()
    await page.keyboard.press('Delete')
    t.equal(await page.getByRole('dialog').count(), 0, 'no question whose words would change later')
    release()
    await itemNamed(page, 'a.txt').waitFor(settled)
    await page.locator('[data-key=change]').getByRole('button', { name: 'Undo' }).waitFor()
    t.equal(deletions, 1)
    t.same(await readdir(root), ['b.txt'])
  },
)

t.test(
  'a question comes before a deletion where there is no trash, or none is known; Enter cancels',
  async (t) => {
    const { page, root } = await start(t, { folder: {} })
    const keeping = '**/api/keeping/**'
    const dialog = page.getByRole('dialog')
    const cancel = async () => {
      await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Enter')
      await dialog.waitFor(settled)
      await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    }
    await changeResponses(page, keeping, (body) => ({ ...body, trash: false }))
    await itemNamed(page, 'folder').click()
    await page.keyboard.press('Delete')
    await dialog.getByRole('heading', { name: 'Delete permanently?' }).waitFor()
    await dialog.getByText("This can't be undone.").waitFor()
    await cancel()
    await page.unroute(keeping)
    await page.route(keeping, (route) => route.fulfill({ status: 500 }))
    await page.keyboard.press('Delete')
    await dialog.getByRole('heading', { name: 'Delete?' }).waitFor()
    t.equal(await dialog.getByText("can't be undone").count(), 0, 'there may be a trash')
    await cancel()
    t.same(await readdir(root), ['folder'])
  },
)

t.test(
  'if nothing is known about a trash, the question before deletion claims nothing about it',
  async (t) => {
    const { page } = await start(t, { 'a.txt': '' })
    await page.route('**/api/keeping/**', (route) => route.fulfill({ status: 500 }))
    await itemNamed(page, 'a.txt').click()
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete?' })
    await dialog.getByText('Without one, deletion is permanent.').waitFor()
    t.equal(await dialog.getByText("This can't be undone.").count(), 0)
  },
)

t.test('Enter confirms the selected folder, and Escape first closes the new folder field', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a', target: {} })
  const dialog = page.getByRole('dialog')
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Control+a')
  await page.getByRole('toolbar').getByRole('button', { name: 'Move to…' }).click()
  await dialog.getByText('The items are already in this folder.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor(settled)
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Move to…' }).click()
  await dialog.getByText('The item is already in this folder.').waitFor()
  await dialog.getByRole('treeitem', { name: 'target' }).waitFor()
  await dialog.getByRole('button', { name: 'New folder' }).click()
  await dialog.getByLabel('New folder name').press('Escape')
  await dialog.getByLabel('New folder name').waitFor(settled)
  await dialog.getByRole('tree').press('ArrowDown')
  await dialog.getByRole('tree').press('Enter')
  await dialog.waitFor(settled)
  await itemNamed(page, 'a.txt').waitFor(settled)
  t.ok(existsSync(path.join(root, 'target/a.txt')))
})

t.test('offers all nine archive formats', async (t) => {
  const { page } = await start(t, { folder: { 'in.txt': 'in' } })
  await itemNamed(page, 'folder').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Download' }).click()
  const sentence = page.getByText('Choose an archive format for “folder”:')
  await sentence.waitFor()
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 })
    const lines = await sentence.evaluate(
      (one) => one.clientHeight / Number.parseFloat(getComputedStyle(one).lineHeight),
    )
    t.equal(Math.round(lines), 1, `the sentence is on one line: ${width} pixels`)
  }
  const kinds = await page.getByRole('dialog').getByRole('button').allInnerTexts()
  const expected = '.zip .tar .tar.gz .tar.bz2 .tar.xz .tar.lz4 .tar.sz .tar.zst .tar.br Cancel'.split(' ')
  t.same(kinds, expected)
  const downloadEvent = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  t.equal((await downloadEvent).suggestedFilename(), 'folder.zip')
})

t.test('the help has room for the names of all keys, also in German', async (t) => {
  const { page } = await start(t, { 'a.txt': '' }, { locale: 'de' })
  await itemNamed(page, 'a.txt').waitFor()
  await page.keyboard.press('F1')
  const rows = page.getByRole('dialog').locator('dl > div')
  await rows.filter({ hasText: 'Strg+Leertaste' }).waitFor()
  const gaps = await rows.evaluateAll((all) =>
    all.map((row) => {
      // Positions in the layout: the dialog is a little smaller while it appears.
      const [key, text] = [row.querySelector('kbd'), row.querySelector('dd')]
      return (text?.offsetLeft ?? 0) - (key?.offsetLeft ?? 0) - (key?.offsetWidth ?? 0)
    }),
  )
  t.ok(Math.min(...gaps) >= 12, `${gaps}`)
})
