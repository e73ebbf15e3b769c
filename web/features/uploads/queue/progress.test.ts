import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, itemNamed, start, violations, visibleNames } from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'
import {
  chooseFiles,
  file,
  limitUploadRate,
  untilHalfSent,
  uploadsDone,
  uploadsPanel,
} from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const slow = () => file('slow.bin', Buffer.alloc(2_000_000, 1))

t.test('an upload shows its progress and can be cancelled and retried', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  await limitUploadRate(page, 200_000)
  await chooseFiles(page, 'Upload files', [file('slow.bin', Buffer.alloc(2_000_000, 1))])
  const bar = uploadsPanel(page).getByRole('progressbar', { name: 'slow.bin' })
  await untilHalfSent(page, 'slow.bin')
  await uploadsPanel(page)
    .getByText(/[\d.]+ [KM]B of 1\.91 MB/)
    .waitFor()
  await uploadsPanel(page)
    .getByText(/[KM]B\/s/)
    .waitFor()
  await uploadsPanel(page)
    .getByText(/\d+ seconds left/)
    .waitFor()
  await uploadsPanel(page).getByRole('status').getByText('25% uploaded').waitFor()
  await uploadsPanel(page).getByRole('button', { name: 'Cancel slow.bin' }).click()
  await bar.waitFor({ state: 'detached' })
  await uploadsPanel(page).getByText('Canceled', { exact: true }).waitFor()
  await uploadsPanel(page).getByRole('heading', { name: 'Upload canceled' }).waitFor()
  t.same(await visibleNames(page), ['a.txt'], 'no partial file is shown')
  await limitUploadRate(page, -1)
  await uploadsPanel(page).getByRole('button', { name: 'Try slow.bin again' }).click()
  await uploadsDone(page, '1 file uploaded')
  await itemNamed(page, 'slow.bin').waitFor()
  t.equal((await readFile(path.join(root, 'slow.bin'))).length, 2_000_000)
})

t.test('pauses and resumes one or all uploads while the user opens another folder', async (t) => {
  const { page, root } = await start(t, { inner: { 'in.txt': '' } })
  await limitUploadRate(page, 200_000)
  await chooseFiles(page, 'Upload files', [slow()])
  await untilHalfSent(page, 'slow.bin')
  await uploadsPanel(page).getByRole('button', { name: 'Pause slow.bin' }).click()
  await uploadsPanel(page).getByText('Paused. Will start over.').waitFor()
  const paused = uploadsPanel(page).getByRole('heading', { name: '1 upload paused' })
  await paused.waitFor()
  await itemNamed(page, 'inner').dblclick()
  await itemNamed(page, 'in.txt').waitFor()
  t.same(await violations(page), [])
  await uploadsPanel(page).getByRole('button', { name: 'Resume slow.bin' }).click()
  await untilHalfSent(page, 'slow.bin')
  await uploadsPanel(page).getByRole('button', { name: 'Pause all uploads' }).click()
  await uploadsPanel(page).getByText('Paused. Files in progress will start over').waitFor()
  await paused.waitFor()
  t.notOk(existsSync(path.join(root, 'slow.bin')))
  await limitUploadRate(page, -1)
  await uploadsPanel(page).getByRole('button', { name: 'Resume all uploads' }).click()
  await uploadsDone(page, '1 file uploaded')
  t.equal((await readFile(path.join(root, 'slow.bin'))).length, 2_000_000)
})

t.test('asks before the page closes during an upload', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  await limitUploadRate(page, 100_000)
  await chooseFiles(page, 'Upload files', [slow()])
  await untilHalfSent(page, 'slow.bin')
  const dialogEvent = page.waitForEvent('dialog')
  const leaving = page.evaluate(() => location.reload()).catch(() => undefined)
  const dialog = await dialogEvent
  t.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  await leaving
  await uploadsPanel(page).getByRole('button', { name: 'Cancel all uploads' }).click()
  await uploadsPanel(page).getByText('Canceled', { exact: true }).waitFor()
  await page.reload()
  await itemNamed(page, 'a.txt').waitFor()
})

t.test('shows the uploads on the settings pages and every tenth in the title', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  await limitUploadRate(page, 200_000)
  await chooseFiles(page, 'Upload files', [slow()])
  await untilHalfSent(page, 'slow.bin')
  await page.waitForFunction(() => /^[1-9]0% – My files – Coffer$/.test(document.title))
  const edge = page.locator('[data-part=uploads-edge]')
  t.ok((await edge.evaluate((one: HTMLElement) => one.offsetWidth / innerWidth)) < 1)
  await chooseAccount(page, 'Profile settings')
  await page.getByRole('heading', { name: 'Language' }).waitFor()
  await page.waitForFunction(() => /^[1-9]0% – Profile settings – Coffer$/.test(document.title))
  t.ok(await uploadsPanel(page).isVisible())
  t.same(await violations(page), [])
  await limitUploadRate(page, -1)
  await uploadsDone(page, '1 file uploaded')
  t.equal(await page.title(), 'Profile settings – Coffer')
  t.equal(await uploadsPanel(page).getByRole('status').count(), 0, 'the notice says the end, and only once')
  await edge.waitFor({ state: 'detached' })
})
