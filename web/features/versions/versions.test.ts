import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import {
  closeBrowser,
  downloadedBytes,
  itemNamed,
  signInAs,
  start,
  testUser,
  untilQuiet,
  violations,
} from '#web/testing/browser.ts'
import { callerOf, settle } from '#web/testing/call.ts'
import { closeError } from '#web/testing/notices.ts'
import { changeResponses, delayResponses } from '#web/testing/responses.ts'
import { compared, info, lines, numbered, openPart } from '#web/testing/versions.ts'

t.teardown(closeBrowser)

const gone = { state: 'detached' } as const

t.test('old contents of a text are looked at, compared, downloaded and deleted', async (t) => {
  const { page, root } = await start(t, { 'a b#.txt': numbered(' one') })
  const call = await callerOf(page)
  for (const word of [' two', ' two\nand more', ' three'])
    await call('PUT', '/api/resources/a%20b%23.txt', numbered(word))
  await openPart(page, 'a b#.txt', 'Versions')
  await lines(page).nth(2).waitFor()
  t.equal(await lines(page).count(), 3)
  t.match(await lines(page).first().innerText(), /\d+ bytes\s+replaced by ann, /)
  t.same(await violations(page), [])
  const buttons = (label: string) => lines(page).getByRole('button', { name: label, exact: true })
  await buttons('Preview').last().press('Enter')
  const look = page.getByRole('dialog', { name: /a b#\.txt.*, / })
  await look.getByText('line 20 one').waitFor()
  await settle(page)
  t.same(await violations(page), [])
  await look.getByRole('button', { name: 'Compare' }).click()
  await compared(page).getByText('1 line removed, 1 line added').waitFor()
  t.same(await compared(page).getByRole('deletion').allTextContents(), ['Removed: line 20 one'])
  t.same(await compared(page).getByRole('insertion').allTextContents(), ['Added: line 20 three'])
  t.equal(await compared(page).getByText('line 24').count(), 0, 'common lines far away are folded')
  await compared(page).getByRole('button', { name: 'Show 36 unchanged lines' }).press('Enter')
  t.equal(await compared(page).getByText('line 24').count(), 2)
  await compared(page).getByLabel('After').selectOption({ index: 1 })
  await compared(page).getByText('1 line removed, 2 lines added').waitFor()
  await settle(page)
  t.same(await violations(page), [])
  await compared(page).getByLabel('Before').selectOption({ index: 1 })
  await compared(page).getByText('There are no differences.').waitFor()
  await page.keyboard.press('Escape')
  await compared(page).waitFor(gone)
  await info(page).waitFor()
  await buttons('More').last().press('Enter')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Download' }).press('Enter'),
  ])
  t.equal(`${await downloadedBytes(download)}`, numbered(' one'))
  await buttons('More').last().press('Enter')
  await page.getByRole('menuitem', { name: 'Delete version' }).press('Enter')
  const question = page.getByRole('dialog', { name: 'Delete this version?' })
  await question.getByRole('button', { name: 'Delete version' }).press('Enter')
  await page.getByText('Version deleted.').waitFor()
  await lines(page).nth(2).waitFor(gone)
  t.equal(readFileSync(path.join(root, 'a b#.txt'), 'utf8'), numbered(' three'))
})

t.test('restoring asks about unsaved changes, shows the old content and can be undone', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'first' })
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.txt', 'second')
  await page.goto(new URL('/files/a.txt', page.url()).href)
  const area = page.getByRole('textbox', { name: 'a.txt' })
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(' and third')
  const restore = async () => {
    await page.getByRole('button', { name: 'Info' }).click()
    // The part stays open when the dialog is opened again.
    const part = info(page).getByText('Versions', { exact: true })
    if (!(await part.evaluate((one) => one.closest('details')?.open))) await part.press('Enter')
    await lines(page).last().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Restore' }).click()
    await info(page).waitFor(gone)
  }
  await restore()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
  t.equal(await area.innerText(), 'second and third', 'canceling changes nothing')
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'second')
  const notices = await page.evaluateHandle(() => {
    const seen: string[] = []
    const note = () =>
      seen.push(...[...document.querySelectorAll('[data-part=outside]')].map((one) => one.innerHTML))
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
    return seen
  })
  await restore()
  const answer = await delayResponses(page, '**/api/versions/a.txt?*', 'POST')
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await answer.waitForCalls()
  answer.release()
  await page.getByText(/Restored an old version of .*a\.txt/).waitFor()
  await area.getByText('first', { exact: true }).waitFor()
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'first')
  await page.locator('[data-part=notices]').getByRole('button', { name: 'Undo' }).click()
  await area.getByText('second and third', { exact: true }).waitFor()
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'second and third')
  await untilQuiet(page)
  t.strictSame(await notices.jsonValue(), [], 'these are no changes of others')
})

t.test('the activity of a file and of a folder says who did what, and loads more on demand', async (t) => {
  const { page, root } = await start(t, { docs: { 'a.txt': 'a' } })
  const call = await callerOf(page)
  for (let n = 0; n < 25; n++) await call('PUT', '/api/resources/docs/a.txt', `${n}`)
  await call('PATCH', '/api/resources/docs/a.txt?action=rename&destination=%2Fdocs%2Fb.txt')
  writeFileSync(path.join(root, 'docs', 'c.txt'), 'by another program')
  await openPart(page, 'docs', 'Activity')
  const entries = info(page).getByRole('listitem')
  await entries.nth(19).waitFor()
  t.match(await entries.first().innerText(), /^Moved or renamed\s+\/docs\/a\.txt to \/docs\/b\.txt\s+ann, /)
  t.match(await entries.nth(1).innerText(), /^Changed\s+\/docs\/a\.txt\s+ann, /)
  await info(page).getByRole('button', { name: 'Show more' }).press('Enter')
  await entries.nth(25).waitFor()
  t.equal(await entries.count(), 26)
  await settle(page)
  // In the frame after the button has disappeared, the dialog moves a lost focus.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  t.ok(await entries.nth(20).evaluate((one) => one === document.activeElement), 'the first new one')
  await settle(page)
  t.same(await violations(page), [])
})

const alert = (page: Page) => page.getByRole('alert')
const more = (page: Page, at: number) => lines(page).nth(at).getByRole('button', { name: 'More' })

/** Chooses an item of the menu of a version. */
async function choose(page: Page, at: number, choice: 'Restore' | 'Download' | 'Delete version') {
  await more(page, at).click()
  await page.getByRole('menuitem', { name: choice }).click()
}

t.test('the list of versions follows the file, and says what the server refuses', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'one', 'b.txt': 'b' })
  const call = await callerOf(page)
  await openPart(page, 'a.txt', 'Versions')
  await info(page).getByText('There are no older versions.').waitFor()
  t.equal(await lines(page).count(), 0)
  for (const word of ['two', 'three', 'four']) await call('PUT', '/api/resources/a.txt', word)
  await lines(page).nth(2).waitFor()
  t.match(await lines(page).allInnerTexts(), [/5 bytes/, /3 bytes/, /3 bytes/], 'the newest first')

  await t.test('a version is restored from the list, which can be undone and done again', async (t) => {
    await choose(page, 2, 'Restore')
    await page.getByText(/^Restored an old version of .*a\.txt/).waitFor()
    t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'one')
    await page.getByRole('grid').press('Control+z')
    await page.getByText(/^Undone: Restored an old version of .*a\.txt/).waitFor()
    t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'four')
    await page.getByRole('grid').press('Control+y')
    await page.getByText(/^Done again: Restored an old version of .*a\.txt/).waitFor()
    t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'one')
  })

  await t.test('deleting a version asks first, and the next line gets the focus', async (t) => {
    const before = await lines(page).count()
    await choose(page, 0, 'Delete version')
    const question = page.getByRole('dialog', { name: 'Delete this version?' })
    await question.getByText("This can't be undone.").waitFor()
    t.same(await violations(page, '[role=dialog]'), [])
    await page.keyboard.press('Enter')
    await question.waitFor(gone)
    t.equal(await lines(page).count(), before, 'Enter cancels')
    const second = await lines(page).nth(1).innerText()
    await choose(page, 0, 'Delete version')
    await question.getByRole('button', { name: 'Delete version' }).click()
    await lines(page)
      .nth(before - 1)
      .waitFor(gone)
    t.equal(await lines(page).first().innerText(), second)
    await more(page, 0).and(page.locator(':focus')).waitFor()
  })

  await t.test('a version that is gone meanwhile is not restored, downloaded or deleted', async (t) => {
    const before = await lines(page).count()
    const gone = { status: 404, json: { code: 'kept.unknown' } } as const
    await page.route('**/api/versions/**', (route) =>
      route.request().method() === 'GET' ? route.continue() : route.fulfill(gone),
    )
    await page.route('**/api/ticket', (route) =>
      route.fulfill({ status: 403, json: { code: 'auth.forbidden' } }),
    )
    const refusals = [
      ['Restore', 'This is no longer kept on the server.'],
      ['Delete version', 'This is no longer kept on the server.'],
      ['Download', "You don't have permissions to access this."],
    ] as const
    for (const [choice, text] of refusals) {
      await choose(page, 0, choice)
      if (choice === 'Delete version')
        await page.getByRole('dialog').getByRole('button', { name: 'Delete version' }).click()
      await alert(page).getByText(text).waitFor()
      await closeError(page)
    }
    t.equal(await lines(page).count(), before)
    t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'one')
    await page.unroute('**/api/versions/**')
    await page.unroute('**/api/ticket')
  })

  await t.test('the part with the versions stays open for the next file', async (t) => {
    await itemNamed(page, 'b.txt').click()
    await info(page).getByText('There are no older versions.').waitFor()
    writeFileSync(path.join(root, 'b.txt'), 'by another program')
    await info(page).getByText('18 bytes').waitFor()
    await info(page).getByText('There are no older versions.').waitFor()
    t.equal(await lines(page).count(), 0, 'Coffer keeps only what it replaces itself')
  })
})

t.test('a version is shown as a picture, a text, or not at all', async (t) => {
  const files = { 'a.png': asPng(plain(30, 20, [200, 0, 0])), 'b.bin': Buffer.from([0, 1, 2]), 'c.txt': '' }
  const { page } = await start(t, files)
  const call = await callerOf(page)
  for (const name of Object.keys(files)) await call('PUT', `/api/resources/${name}`, 'x')
  await changeResponses<{ by: string }[]>(page, '**/api/versions/c.txt', (versions) =>
    versions.map((version) => ({ ...version, by: '' })),
  )
  const look = async (name: string) => {
    await itemNamed(page, name).click()
    await info(page).getByText('1 byte', { exact: true }).waitFor()
    await lines(page).getByRole('button', { name: 'Preview' }).click()
    return page.getByRole('dialog', { name: new RegExp(`${name}.*, `) })
  }
  const close = async () => {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor(gone)
  }
  await openPart(page, 'a.png', 'Versions')
  const picture = (await look('a.png')).getByRole('img')
  await picture.waitFor()
  t.equal(await picture.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)), 30)
  await close()
  await (await look('b.bin')).getByText('There is no preview of this file.').waitFor()
  await close()
  await (await look('c.txt')).getByText('This file is empty.').waitFor()
  await close()
  t.match(await lines(page).innerText(), /0 bytes\s+replaced \w/, 'it is unknown who has replaced it')
})

t.test('a user sees only what may be done with the versions of a file', async (t) => {
  const { page } = await start(t, { 'a.txt': 'one' })
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.txt', 'two')
  const his = await signInAs(t, page, { perm: { download: true } })
  await his.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await openPart(his, 'a.txt', 'Versions')
  const labels = () =>
    lines(his)
      .getByRole('button')
      .evaluateAll((all) => all.map((one) => one.ariaLabel))
  await lines(his).first().waitFor()
  t.strictSame(await labels(), ['Preview', 'Compare', 'More'])
  await more(his, 0).click()
  await his.getByRole('menuitem').first().waitFor()
  t.strictSame(await his.getByRole('menuitem').allInnerTexts(), ['Download'])
  await his.keyboard.press('Escape')
  const users = (await (await call('GET', '/api/users')).json()) as { id: number; username: string }[]
  const bob = users.find(({ username }) => username === 'bob')
  const perm = {
    ...{ admin: false, execute: false, create: false, rename: false, modify: false },
    delete: false,
    share: false,
    download: false,
  }
  const body = { what: 'user', which: ['perm'], data: { ...bob, perm }, current_password: testUser.password }
  await call('PUT', `/api/users/${bob?.id}`, JSON.stringify(body))
  await his.reload()
  await itemNamed(his, 'a.txt').click()
  await info(his).getByText('Versions', { exact: true }).click()
  await lines(his).first().waitFor()
  t.strictSame(await labels(), [], 'without permissions, only size and time')
})
