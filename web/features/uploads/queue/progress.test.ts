import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { choose, done, file, halfSent, limit, panel } from '#web/features/uploads/fixture.ts'
import { closeBrowser, item, names, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const slow = () => file('slow.bin', Buffer.alloc(2_000_000, 1))

t.test('an upload shows its progress and can be cancelled and retried', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  await limit(page, 200_000)
  await choose(page, 'Upload files', [file('slow.bin', Buffer.alloc(2_000_000, 1))])
  const bar = panel(page).getByRole('progressbar', { name: 'slow.bin' })
  await halfSent(page, 'slow.bin')
  await panel(page)
    .getByText(/[\d.]+ [KM]B of 1\.91 MB/)
    .waitFor()
  await panel(page)
    .getByText(/[KM]B\/s/)
    .waitFor()
  await panel(page)
    .getByText(/\d+ seconds left/)
    .waitFor()
  await panel(page).getByRole('status').getByText('25% uploaded').waitFor()
  await panel(page).getByRole('button', { name: 'Cancel slow.bin' }).click()
  await bar.waitFor({ state: 'detached' })
  await panel(page).getByText('Canceled').waitFor()
  t.same(await names(page), ['a.txt'], 'no partial file is shown')
  await limit(page, -1)
  await panel(page).getByRole('button', { name: 'Try slow.bin again' }).click()
  await done(page, '1 file uploaded')
  await item(page, 'slow.bin').waitFor()
  t.equal((await readFile(path.join(root, 'slow.bin'))).length, 2_000_000)
})

t.test('pauses and resumes one or all uploads while the user opens another folder', async (t) => {
  const { page, root } = await start(t, { inner: { 'in.txt': '' } })
  await limit(page, 200_000)
  await choose(page, 'Upload files', [slow()])
  await halfSent(page, 'slow.bin')
  await panel(page).getByRole('button', { name: 'Pause slow.bin' }).click()
  await panel(page).getByText('Paused. Will start over.').waitFor()
  await item(page, 'inner').dblclick()
  await item(page, 'in.txt').waitFor()
  t.same(await violations(page), [])
  await panel(page).getByRole('button', { name: 'Resume slow.bin' }).click()
  await halfSent(page, 'slow.bin')
  await panel(page).getByRole('button', { name: 'Pause all uploads' }).click()
  await panel(page).getByText('Paused. Files in progress will start over').waitFor()
  t.notOk(existsSync(path.join(root, 'slow.bin')))
  await limit(page, -1)
  await panel(page).getByRole('button', { name: 'Resume all uploads' }).click()
  await done(page, '1 file uploaded')
  t.equal((await readFile(path.join(root, 'slow.bin'))).length, 2_000_000)
})

t.test('asks before the page closes during an upload', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  await limit(page, 100_000)
  await choose(page, 'Upload files', [slow()])
  await halfSent(page, 'slow.bin')
  const dialogEvent = page.waitForEvent('dialog')
  const leaving = page.reload().catch(() => undefined)
  const dialog = await dialogEvent
  t.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  await leaving
  await panel(page).getByRole('button', { name: 'Cancel all uploads' }).click()
  await panel(page).getByText('Canceled').waitFor()
  await page.reload()
  await item(page, 'a.txt').waitFor()
})

t.test('shows the uploads on the settings pages and the progress in the title', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  await limit(page, 200_000)
  await choose(page, 'Upload files', [slow()])
  await halfSent(page, 'slow.bin')
  await page.waitForFunction(() => /^[1-9]\d?% – My files – Coffer$/.test(document.title))
  const edge = page.locator('[data-part=uploads-edge]')
  t.ok((await edge.evaluate((one: HTMLElement) => one.offsetWidth / innerWidth)) < 1)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Language' }).waitFor()
  await page.waitForFunction(() => /^[1-9]\d?% – Profile settings – Coffer$/.test(document.title))
  t.ok(await panel(page).isVisible())
  t.same(await violations(page), [])
  await limit(page, -1)
  await done(page, '1 file uploaded')
  t.equal(await page.title(), 'Profile settings – Coffer')
  await edge.waitFor({ state: 'detached' })
})
