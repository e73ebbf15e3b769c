import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import {
  chooseFiles,
  dropFiles,
  dropFromDesktop,
  file,
  uploadsDone,
  uploadsPanel,
} from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

t.test('asks what to do with a taken name: skip, keep both, replace', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'old', 'b.txt': 'old', 'c.tar.gz': 'old' })
  await chooseFiles(page, 'Upload files', [
    file('a.txt', 'new'),
    file('b.txt', 'new'),
    file('c.tar.gz', 'new'),
  ])
  const answers: Record<string, string> = { 'a.txt': 'Skip', 'b.txt': 'Replace', 'c.tar.gz': 'Keep both' }
  for (let n = 0; n < 3; n++) {
    const dialog = page.getByRole('dialog', { name: 'Replace the file?' })
    const name =
      (await dialog.getByText('is already in “My files”').locator('bdi').first().textContent()) ?? ''
    await dialog.getByRole('button', { name: answers[name] ?? '', exact: true }).click()
    await dialog.getByText(`“${name}”`).waitFor({ state: 'detached' })
  }
  await uploadsDone(page, '2 files uploaded')
  await itemNamed(page, 'c (1).tar.gz').waitFor()
  const content = (name: string) => readFile(path.join(root, name), 'utf8')
  t.equal(await content('a.txt'), 'old')
  t.equal(await content('b.txt'), 'new')
  t.equal(await content('c.tar.gz'), 'old')
  t.equal(await content('c (1).tar.gz'), 'new')
})

t.test('the question about a file that goes to another folder says its path', async (t) => {
  const { page } = await start(t, { in: { 'a.txt': 'old' } })
  await itemNamed(page, 'in').waitFor()
  await dropFiles(page, '[data-part=row][data-folder]', [{ name: 'a.txt', content: 'new' }])
  await page.getByRole('dialog').getByText('“a.txt” is already in “/in/”.').waitFor()
})

t.test('one choice can apply to all following files', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'old', 'b.txt': 'old', 'c.txt': 'old' })
  await chooseFiles(page, 'Upload files', [file('a.txt', 'new'), file('b.txt', 'new'), file('c.txt', 'new')])
  const shape = () =>
    page.getByRole('dialog').evaluate((dialog) =>
      [dialog, ...dialog.querySelectorAll('button')].map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect()
        return [x, y, width, height].map(Math.round).join(' ')
      }),
    )
  await page.getByRole('dialog').getByLabel('Apply to all').waitFor()
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)))
  const before = await shape()
  const rows = Map.groupBy(
    (await shape()).slice(1).map((box) => box.split(' ').map(Number)),
    ([, y]) => y,
  )
  const edges = [...rows.values()].map((row) => {
    const ends = row.map(([x = 0, , width = 0]) => x + width)
    return `${Math.min(...row.map(([x = 0]) => x))} to ${Math.max(...ends)}`
  })
  t.equal(rows.size, 3)
  t.equal(new Set(edges).size, 1, 'the buttons stand in rows of one width')
  await page.getByRole('dialog').getByLabel('Apply to all').check()
  t.same(await shape(), before, 'the box changes neither the size of the dialog nor the place of a button')
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click()
  await uploadsDone(page, '3 files uploaded')
  for (const name of ['a.txt', 'b.txt', 'c.txt'])
    t.equal(await readFile(path.join(root, name), 'utf8'), 'new')
})

t.test('asks about a large existing file before sending it', async (t) => {
  const { page, root } = await start(t, { 'big.bin': 'old' })
  const source = path.join(path.dirname(root), 'big.bin')
  await writeFile(source, Buffer.alloc(30 * 1024 * 1024, 1))
  await chooseFiles(page, 'Upload files', source)
  await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click()
  await uploadsDone(page, 'Nothing was uploaded')
  t.equal(await readFile(path.join(root, 'big.bin'), 'utf8'), 'old')
})

t.test(
  'sends nothing before all questions are answered, and nothing when a question is closed',
  async (t) => {
    const { page, root } = await start(t, { 'b.txt': 'old' })
    const sent: string[] = []
    page.on('request', (one) => {
      if (one.method() === 'POST' && one.url().includes('/api/resources/')) sent.push(one.url())
    })
    await chooseFiles(page, 'Upload files', [file('a.txt', 'new'), file('b.txt', 'new')])
    await page.getByRole('dialog').getByText('Existing file').waitFor()
    t.same(sent, [], 'not even the file without a conflict')
    await page.keyboard.press('Escape')
    await uploadsPanel(page).getByText('Canceled').nth(1).waitFor()
    await uploadsDone(page, '2 uploads canceled')
    t.same(sent, [])
    t.same(await readdir(root), ['b.txt'])
    await uploadsPanel(page).getByRole('button', { name: 'Try all again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click()
    await uploadsDone(page, '2 files uploaded')
    t.equal(await readFile(path.join(root, 'b.txt'), 'utf8'), 'new')
  },
)

t.test('replaces older files and skips newer ones, in folders too', async (t) => {
  const { page, root } = await start(t, { trip: { 'a.txt': 'there', deep: { 'b.txt': 'there' } } })
  await itemNamed(page, 'trip').waitFor()
  const past = new Date('2001-01-01')
  await utimes(path.join(root, 'trip/deep/b.txt'), past, past)
  const source = path.join(path.dirname(root), 'trip')
  await mkdir(path.join(source, 'deep'), { recursive: true })
  for (const name of ['a.txt', 'deep/b.txt', 'c.txt']) await writeFile(path.join(source, name), 'coming')
  const before = new Date('2002-02-02')
  for (const name of ['a.txt', 'deep/b.txt']) await utimes(path.join(source, name), before, before)
  await dropFromDesktop(page, [source])
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Apply to all').check()
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByRole('button', { name: 'Replace older files' }).click()
  await uploadsDone(page, '2 files and 2 folders uploaded')
  await uploadsPanel(page).getByRole('button', { name: /^trip/ }).click()
  await uploadsPanel(page).getByText('Skipped').waitFor()
  const inside = (name: string) => readFile(path.join(root, 'trip', name), 'utf8')
  t.equal(await inside('a.txt'), 'there')
  t.equal(await inside('deep/b.txt'), 'coming')
  t.equal(await inside('c.txt'), 'coming')
})

t.test('an uploaded file keeps its date, so that only a changed file is newer', async (t) => {
  const { page, root } = await start(t, { 'old.txt': '' })
  await itemNamed(page, 'old.txt').waitFor()
  const date = new Date('2003-03-03T03:03:03.123Z')
  const source = path.join(path.dirname(root), 'trip')
  await mkdir(path.join(source, 'deep'), { recursive: true })
  const small = Array.from({ length: 12 }, (_, n) => `deep/${n}.txt`)
  for (const name of ['a.txt', 'b.txt', ...small]) {
    await writeFile(path.join(source, name), name)
    await utimes(path.join(source, name), date, date)
  }
  const dateOf = async (name: string) => (await stat(path.join(root, name))).mtimeMs
  const singles = ['a.txt', 'b.txt'].map((name) => path.join(source, name))
  await chooseFiles(page, 'Upload files', singles)
  await uploadsDone(page, '2 files uploaded')
  await dropFromDesktop(page, [source])
  await uploadsDone(page, '14 files and 2 folders uploaded')
  for (const name of ['a.txt', 'b.txt', ...small.map((name) => `trip/${name}`)])
    t.equal(await dateOf(name), date.getTime(), name)

  const later = new Date('2004-04-04')
  await writeFile(path.join(source, 'b.txt'), 'changed')
  await utimes(path.join(source, 'b.txt'), later, later)
  await chooseFiles(page, 'Upload files', singles)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('a.txt').waitFor()
  t.equal(await dialog.getByText('newer').count(), 0, 'the same file')
  await dialog.getByLabel('Apply to all').check()
  await dialog.getByRole('button', { name: 'Replace older files' }).click()
  await uploadsDone(page, '1 file uploaded')
  t.equal(await readFile(path.join(root, 'b.txt'), 'utf8'), 'changed')
  t.equal(await dateOf('b.txt'), later.getTime())
})

t.test('a file never replaces a folder, and a folder never replaces a file', async (t) => {
  const { page, root } = await start(t, { thing: { 'in.txt': 'in' }, trip: 'a file' })
  await chooseFiles(page, 'Upload files', [file('thing', 'new')])
  const dialog = page.getByRole('dialog', { name: 'This name is taken' })
  await dialog.waitFor()
  t.equal(await dialog.getByRole('button', { name: 'Replace' }).count(), 0)
  await dialog.getByRole('button', { name: 'Keep both' }).click()
  await itemNamed(page, 'thing (1)').waitFor()
  t.equal(await readFile(path.join(root, 'thing (1)'), 'utf8'), 'new')
  const source = path.join(path.dirname(root), 'trip')
  await mkdir(source)
  await writeFile(path.join(source, 'a.txt'), 'a')
  await chooseFiles(page, 'Upload a folder', source)
  await uploadsPanel(page).getByText('This is a file, not a folder.').waitFor()
  t.equal(await readFile(path.join(root, 'trip'), 'utf8'), 'a file')
})
