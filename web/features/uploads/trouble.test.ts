import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  start,
  startCompleteBrowser,
  testUser,
  violations,
} from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'
import {
  chooseFiles,
  file,
  limitUploadRate,
  untilHalfSent,
  uploadsDone,
  uploadsPanel,
} from '#web/testing/uploads.ts'

// One test deletes a file after choosing it.
startCompleteBrowser()
t.teardown(closeBrowser)

const slow = () => file('slow.bin', Buffer.alloc(2_000_000, 1))

t.test('a rejected upload shows the reason and can be retried', async (t) => {
  const { page, root } = await start(t, { target: '' })
  await page.route('**/api/resources/a.txt*', (route) =>
    route.fulfill({
      status: 507,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 507, code: 'disk.full', detail: 'no space left' }),
    }),
  )
  await chooseFiles(page, 'Upload files', [file('a.txt', 'x')])
  await page.getByText('The server has no space left.').waitFor()
  await page.unroute('**/api/resources/a.txt*')
  await page.getByRole('button', { name: 'Try a.txt again' }).click()
  await uploadsDone(page, '1 file uploaded')
  t.equal(await readFile(path.join(root, 'a.txt'), 'utf8'), 'x')
})

t.test('the queue continues when a lost connection is restored', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  await limitUploadRate(page, 200_000)
  await chooseFiles(page, 'Upload files', [slow()])
  await untilHalfSent(page, 'slow.bin')
  await limitUploadRate(page, 0)
  await uploadsPanel(page).getByText("Can't reach the server. The uploads will continue").waitFor()
  await uploadsPanel(page).getByText('Waiting').waitFor()
  t.same(await violations(page, '[data-part=uploads]'), [])
  await limitUploadRate(page, -1)
  await uploadsDone(page, '1 file uploaded')
  t.equal((await readFile(path.join(root, 'slow.bin'))).length, 2_000_000)
})

t.test('does not ask about a file that arrived although its response was lost', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  await page.route(
    '**/api/resources/b.txt*',
    async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    },
    { times: 1 },
  )
  await chooseFiles(page, 'Upload files', [file('b.txt', 'b')])
  await uploadsDone(page, '1 file uploaded')
  t.equal(await readFile(path.join(root, 'b.txt'), 'utf8'), 'b')
})

t.test('an upload that always breaks off fails after three attempts', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  let attempts = 0
  await page.route('**/api/resources/empty.txt*', (route) => {
    attempts++
    return route.abort('connectionreset')
  })
  await chooseFiles(page, 'Upload files', [file('empty.txt', '')])
  await uploadsDone(page, '1 upload failed')
  t.equal(attempts, 3)
})

t.test('keeps the queue for the same user when the session ends', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  await limitUploadRate(page, 200_000)
  await chooseFiles(page, 'Upload files', [slow(), file('b.txt', 'b')])
  await untilHalfSent(page, 'slow.bin')
  await page.evaluate(() => dispatchEvent(new StorageEvent('storage', { key: 'jwt', newValue: null })))
  await page.getByLabel('Username').fill(testUser.name)
  await limitUploadRate(page, -1)
  t.notOk(existsSync(path.join(root, 'slow.bin')))
  await page.getByLabel('Password').fill(testUser.password)
  await page.keyboard.press('Enter')
  await uploadsDone(page, '2 files uploaded')
  t.equal((await readFile(path.join(root, 'slow.bin'))).length, 2_000_000)
})

t.test('shows an error for a file that was deleted on the device', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  const source = path.join(path.dirname(root), 'gone.bin')
  await writeFile(source, Buffer.alloc(2_000_000))
  await limitUploadRate(page, 200_000)
  await chooseFiles(page, 'Upload files', [slow()])
  await untilHalfSent(page, 'slow.bin')
  await uploadsPanel(page).getByRole('button', { name: 'Pause all uploads' }).click()
  await chooseFiles(page, 'Upload files', source)
  await uploadsPanel(page).getByText('gone.bin').first().waitFor()
  await rm(source)
  await limitUploadRate(page, -1)
  await uploadsPanel(page).getByRole('button', { name: 'Resume all uploads' }).click()
  await uploadsPanel(page).getByText('This file can no longer be read on your device.').waitFor()
  await uploadsDone(page, '1 upload failed')
  await chooseFiles(page, 'Upload files', [file('next.txt', 'n')])
  await itemNamed(page, 'next.txt').waitFor()
  t.ok(await uploadsPanel(page).getByText('can no longer be read').isVisible(), 'the error stays visible')
})

t.test('asks before signing out stops running uploads, and the next user does not see them', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '' })
  await limitUploadRate(page, 200_000)
  await chooseFiles(page, 'Upload files', [slow()])
  await untilHalfSent(page, 'slow.bin')
  await chooseAccount(page, 'Sign out')
  const dialog = page.getByRole('dialog', { name: 'Files are being uploaded.' })
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await untilHalfSent(page, 'slow.bin')
  await chooseAccount(page, 'Sign out')
  await dialog.getByRole('button', { name: 'Stop and sign out' }).click()
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill(testUser.password)
  await page.keyboard.press('Enter')
  await itemNamed(page, 'a.txt').waitFor()
  t.equal(await uploadsPanel(page).count(), 0)
  t.notOk(existsSync(path.join(root, 'slow.bin')))
})
