import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, itemNamed, start, violations, visibleNames } from '#web/testing/browser.ts'
import {
  chooseFiles,
  dropFiles,
  dropFromDesktop,
  file,
  uploadsDone,
  uploadsPanel,
} from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

t.test('uploads several files with the button, whatever their names', async (t) => {
  const { page, root } = await start(t, { 'old.txt': 'old' })
  const fileNames = ['a b#?%.txt', '🎉 & <b>.bin', 'مرحبا.txt', 'empty.txt']
  const content = (name: string) => (name === 'empty.txt' ? '' : `this is ${name}`)
  await chooseFiles(
    page,
    'Upload files',
    fileNames.map((name) => file(name, content(name))),
  )
  await uploadsDone(page, '4 files uploaded')
  for (const name of fileNames) {
    await itemNamed(page, name).waitFor()
    t.equal(await readFile(path.join(root, name), 'utf8'), content(name))
  }
})

t.test('uploads a folder with everything in it', async (t) => {
  const { page, root } = await start(t, { 'old.txt': 'old' })
  const source = path.join(path.dirname(root), 'trip')
  await mkdir(path.join(source, 'day 1', 'raw'), { recursive: true })
  await writeFile(path.join(source, 'plan.txt'), 'plan')
  await writeFile(path.join(source, 'day 1', 'raw', 'a#1.jpg'), 'picture')
  await chooseFiles(page, 'Upload a folder', source)
  await uploadsDone(page, '2 files uploaded')
  await itemNamed(page, 'trip').waitFor()
  t.same((await readdir(path.join(root, 'trip'))).toSorted(), ['day 1', 'plan.txt'])
  t.equal(await readFile(path.join(root, 'trip/day 1/raw/a#1.jpg'), 'utf8'), 'picture')
})

t.test('uploads files dropped on the page into its folder, and on a folder into that folder', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '', inner: {} })
  await itemNamed(page, 'inner').waitFor()
  await dropFiles(page, '[data-part=list]', [{ name: 'here.txt', content: 'here' }])
  // The list shows a file before its upload has ended. The panel counts from the last moment without uploads.
  await uploadsDone(page, '1 file uploaded')
  await itemNamed(page, 'here.txt').waitFor()
  await dropFiles(page, '[data-part=row][data-folder]', [
    { name: 'there 1.txt', content: 'there' },
    { name: 'there 2.txt', content: 'there' },
  ])
  await uploadsDone(page, '2 files uploaded')
  t.same((await readdir(path.join(root, 'inner'))).toSorted(), ['there 1.txt', 'there 2.txt'])
  t.same(await visibleNames(page), ['inner', 'a.txt', 'here.txt'])
})

t.test('uploads a folder dropped from the desktop with its structure and empty folders', async (t) => {
  const { page, root } = await start(t, { 'old.txt': 'old' })
  const source = path.join(path.dirname(root), 'trip #1')
  await mkdir(path.join(source, 'day 1', 'empty'), { recursive: true })
  await mkdir(path.join(source, 'nothing %20'))
  await writeFile(path.join(source, 'day 1', 'a?.txt'), 'a')
  await itemNamed(page, 'old.txt').waitFor()
  await dropFromDesktop(page, [source])
  await uploadsDone(page, '1 file and 4 folders uploaded')
  const group = uploadsPanel(page).getByRole('button', { name: /^trip #1 1 of 1 file/ })
  t.equal(await group.getAttribute('aria-expanded'), 'false')
  t.equal(await uploadsPanel(page).getByText('a?.txt').count(), 0)
  await group.click()
  await uploadsPanel(page).getByText('a?.txt').waitFor()
  t.same(await violations(page), [])
  t.same((await readdir(path.join(root, 'trip #1'))).toSorted(), ['day 1', 'nothing %20'])
  t.ok(existsSync(path.join(root, 'trip #1/day 1/empty')))
  t.equal(await readFile(path.join(root, 'trip #1/day 1/a?.txt'), 'utf8'), 'a')
})

t.test('an upload has a button to its folder, and the panel can be minimized and closed', async (t) => {
  const { page } = await start(t, { inner: {}, 'a.txt': '' })
  await itemNamed(page, 'inner').dblclick()
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  await chooseFiles(page, 'Upload files', [file('b.txt', 'b')])
  await itemNamed(page, 'b.txt').waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').first().click()
  await itemNamed(page, 'a.txt').waitFor()
  await uploadsPanel(page).getByText('in inner').waitFor()
  await uploadsPanel(page).getByRole('button', { name: 'Show the folder of b.txt' }).click()
  await itemNamed(page, 'b.txt').waitFor()
  t.same(await violations(page), [])
  await uploadsPanel(page).getByRole('button', { name: 'Minimize uploads' }).click()
  await uploadsPanel(page).getByText('in inner').waitFor({ state: 'detached' })
  await uploadsPanel(page).getByRole('button', { name: 'Close uploads' }).click()
  await uploadsPanel(page).waitFor({ state: 'detached' })
})
