import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import {
  changePreferences,
  closeBrowser,
  itemNamed,
  selectedNames,
  signInAs,
  start,
  violations,
} from '#web/testing/browser.ts'
import { chooseAccount, chooseNew } from '#web/testing/places.ts'
import { delayResponses } from '#web/testing/responses.ts'
import { chooseFiles, file } from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const gone = { state: 'detached' } as const

/** The notice about the last change. */
function notice(page: Page) {
  return page.locator('[data-part=notices] [data-key=change]')
}

/** The visible text of the notice, without the marks around names. */
async function noticeText(page: Page): Promise<string> {
  const text = await notice(page).locator('p').innerText()
  return text.replace(/[\u2068\u2069]/g, '')
}

/** The names in a folder, without our own hidden folders. */
function names(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.coffer-'))
    .sort()
}

/** Cuts the selected items and pastes them into the folder `name`. */
async function moveInto(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+x')
  await itemNamed(page, name).dblclick()
  await page.getByRole('heading', { name, level: 1 }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Paste' }).waitFor()
  // The keys act on the folder when it is shown, in the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.keyboard.press('Control+v')
}

t.test(
  'a move of several items is undone as one, with the keyboard or in the notice, and done again',
  async (t) => {
    const { page, root } = await start(
      t,
      {
        'a.txt': 'a',
        'b.txt': 'b',
        'c.txt': 'c',
        Letters: { 'z.txt': 'z' },
      },
      { reducedMotion: 'reduce' },
    )
    await itemNamed(page, 'a.txt').click()
    await itemNamed(page, 'b.txt').click({ modifiers: ['Control'] })
    await moveInto(page, 'Letters')
    await itemNamed(page, 'b.txt').waitFor()
    await page.getByText('Moved 2 items to').waitFor()
    t.equal(await noticeText(page), 'Moved 2 items to Letters')
    t.same(await violations(page, '[data-part=notices]'), [])

    await page.keyboard.press('Control+z')
    await page.getByText('Undone:').waitFor()
    t.equal(await noticeText(page), 'Undone: Moved 2 items to Letters')
    await itemNamed(page, 'b.txt').waitFor(gone)
    t.same(
      readdirSync(root)
        .filter((name) => !name.startsWith('.'))
        .sort(),
      ['Letters', 'a.txt', 'b.txt', 'c.txt'],
    )

    await page.goBack()
    await itemNamed(page, 'a.txt').waitFor()
    await notice(page).getByRole('button', { name: 'Redo' }).click()
    await page.getByText('Done again:').waitFor()
    await itemNamed(page, 'a.txt').waitFor(gone)
    t.same(names(path.join(root, 'Letters')), ['a.txt', 'b.txt', 'z.txt'])

    await page.keyboard.press('Control+z')
    await itemNamed(page, 'a.txt').waitFor()
    await until(async () => (await selectedNames(page)).join() === 'a.txt,b.txt')
    await page.keyboard.press('Control+y')
    await itemNamed(page, 'a.txt').waitFor(gone)
  },
)

t.test('a deletion is undone from its notice, and the items are there again and selected', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a', folder: { 'in.txt': 'in' }, 'other.txt': 'o' })
  await itemNamed(page, 'folder').click()
  await itemNamed(page, 'a.txt').click({ modifiers: ['Control'] })
  await page.keyboard.press('Delete')
  await itemNamed(page, 'folder').waitFor(gone)
  const button = notice(page).getByRole('button', { name: 'Undo' })
  await button.focus()
  await page.keyboard.press('Enter')
  await itemNamed(page, 'folder').waitFor()
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  t.pass('the focus returns to the list')
  await until(async () => (await selectedNames(page)).join() === 'folder,a.txt')
  t.equal(readFileSync(path.join(root, 'folder/in.txt'), 'utf8'), 'in')
  await notice(page).getByRole('button', { name: 'Redo' }).focus()
  await page.keyboard.press('Escape')
  await notice(page).waitFor(gone)
  t.equal(await page.evaluate(() => document.activeElement?.role), 'grid', 'Escape closes the notice')
})

t.test('rename, copy, new folder and new file are undone, and the page leaves what is gone', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a' })
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('F2')
  await page.getByRole('grid').getByRole('textbox').fill('b.txt')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'b.txt').waitFor()
  t.equal(await noticeText(page), 'Renamed a.txt to b.txt')
  await page.keyboard.press('Control+z')
  await itemNamed(page, 'a.txt').waitFor()
  await until(async () => (await selectedNames(page)).join() === 'a.txt')

  await page.keyboard.press('Control+d')
  await page.getByText('Copied').waitFor()
  await page.keyboard.press('Control+z')
  await page.getByText('Undone: Copied').waitFor()

  await chooseNew(page, 'New folder')
  await page.getByRole('dialog').getByRole('textbox').fill('made')
  await page.keyboard.press('Enter')
  await page.getByText('Created the folder').waitFor()
  await itemNamed(page, 'made').dblclick()
  await page.waitForURL('**/made/')
  await notice(page).getByRole('button', { name: 'Undo' }).click()
  await page.waitForURL('**/files/')
  await itemNamed(page, 'a.txt').waitFor()
  await until(
    () =>
      readdirSync(root)
        .filter((name) => !name.startsWith('.'))
        .join() === 'a.txt',
  )
})

t.test(
  'uploads that were chosen together are undone together, also where they replaced a file',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': 'old', to: {} })
    await chooseFiles(page, 'Upload files', [file('a.txt', 'new'), file('b.txt', 'b'), file('c.txt', 'c')])
    await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click()
    await page.getByText('Uploaded 3 items to').waitFor()
    t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'new')
    await page.getByRole('grid').press('Control+z')
    await page.getByText('Undone:').waitFor()
    await itemNamed(page, 'c.txt').waitFor(gone)
    t.same(names(root), ['a.txt', 'to'])
    t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'old')
  },
)

t.test(
  'a saved text is undone in the list, but beside its editor the keys undo what was typed',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': 'old' })
    await itemNamed(page, 'a.txt').dblclick()
    const text = page.getByRole('textbox')
    await text.fill('new')
    await page.keyboard.press('Control+s')
    await until(() => readFileSync(path.join(root, 'a.txt'), 'utf8') === 'new')
    await page.keyboard.press('Control+z')
    await until(async () => (await text.innerText()) === 'old')
    t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'new')
    await page.keyboard.press('Control+Shift+z')
    await until(async () => (await text.innerText()) === 'new')
    const calls: string[] = []
    page.on('request', (request) => request.url().includes('/undo') && calls.push(request.url()))
    await page.getByRole('main', { name: 'a.txt' }).focus()
    await page.keyboard.press('Control+z')
    await page.keyboard.press('F1')
    await page.getByRole('dialog').getByText('Undo the last change').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor(gone)
    t.same(calls, [], 'nor does the key beside the text undo a save')
    // The browser itself may have undone typing.
    await text.fill('new')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('main', { name: 'a.txt' }).waitFor(gone)
    await page.getByRole('grid').press('Control+z')
    await page.getByText('Undone: Saved').waitFor()
    t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'old')
  },
)

t.test('a save is undone beside the text, with the keyboard or in the notice', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'old' }, { path: '/files/a.txt' })
  const text = page.getByRole('textbox')
  await text.fill('new')
  await page.keyboard.press('Control+s')
  const undoSave = page.getByRole('main').getByRole('button', { name: 'Undo save' })
  await undoSave.waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  t.ok(await undoSave.evaluate((one) => one === document.activeElement), 'it is the next element')
  await page.keyboard.press('Enter')
  await page.getByText('Undone: Saved').waitFor()
  await until(async () => (await text.innerText()) === 'old')
  await until(async () => page.evaluate(() => document.activeElement?.matches('[data-keys=own]')))
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'old')
  await notice(page).getByRole('button', { name: 'Redo' }).click()
  await until(async () => (await text.innerText()) === 'new')
  await undoSave.waitFor()
  await text.press('x')
  await undoSave.waitFor(gone)
  await text.fill('new')
  await undoSave.waitFor()
})

t.test('undo says what it left and why, and what cannot be undone at all', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a', 'b.txt': 'b', to: {} }, { reducedMotion: 'reduce' })
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'b.txt').click({ modifiers: ['Control'] })
  await moveInto(page, 'to')
  await page.getByText('Moved 2 items').waitFor()
  writeFileSync(path.join(root, 'a.txt'), 'in the way')
  await page.keyboard.press('Control+z')
  const warning = page.locator('[data-part=notices] [data-kind=warning]')
  await warning.getByText('Some of it was left as it is:').waitFor()
  t.equal(await warning.getByRole('listitem').count(), 1)
  t.same(names(root), ['a.txt', 'b.txt', 'to'])
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'in the way')
  t.same(await violations(page, '[data-part=notices]'), [])
  await warning.getByRole('button', { name: 'Close' }).click()
  await warning.waitFor(gone)

  await page.keyboard.press('Control+Shift+z')
  await page.getByText('Done again:').waitFor()
  writeFileSync(path.join(root, 'b.txt'), 'in the way')
  await page.keyboard.press('Control+z')
  await warning.getByText('An item with this name already exists.').waitFor()
  t.match(await warning.innerText(), /^Not undone: Moved /)
  t.equal(readFileSync(path.join(root, 'to/b.txt'), 'utf8'), 'b')
})

t.test('the notice stays while the pointer is on it, and Undo stays in the menu after it', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await page.clock.install()
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Control+d')
  await page.getByText('Copied').waitFor()
  await notice(page).hover()
  await page.clock.runFor(20_000)
  t.ok(await notice(page).isVisible())
  await page.getByRole('grid').hover()
  await page.clock.runFor(9000)
  await notice(page).waitFor(gone)
  await page.clock.resume()
  await page.keyboard.press('Escape')
  await page.getByRole('toolbar').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Undo' }).click()
  await page.getByText('Undone: Copied').waitFor()
})

t.test(
  'a notice says that something is being undone, and after a lost connection the rest can be undone',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': 'a', 'b.txt': 'b', to: {} })
    await itemNamed(page, 'a.txt').click()
    await itemNamed(page, 'b.txt').click({ modifiers: ['Control'] })
    await moveInto(page, 'to')
    await page.getByText('Moved 2 items').waitFor()
    const calls: string[] = []
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/operations/*/undo', async (route) => {
      calls.push(route.request().url())
      await held
      return calls.length === 2 ? route.abort() : route.continue()
    })
    await page.keyboard.press('Control+z')
    await page.getByText('Undoing: Moved 2 items').waitFor()
    // The folder does not load again until the notice is there: the notice must not wait for it.
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/resources/**', async (route) => {
      await answered
      return route.continue()
    })
    release()
    await page.getByRole('alert').getByText('Undone only in part: Moved 2 items').waitFor()
    answer()
    await page.getByText('Undoing: Moved 2 items').waitFor(gone)
    t.equal(names(root).length, 2)
    await page.keyboard.press('Control+z')
    await page.getByText('Undone: Moved 2 items').waitFor()
    t.same(names(root), ['a.txt', 'b.txt', 'to'])
    t.equal(calls.length, 3)
  },
)

t.test('changes can be undone, and done again, after the page was loaded again', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a', 'b.txt': 'b' })
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Control+d')
  await page.getByText('Copied').waitFor()
  await itemNamed(page, 'b.txt').click()
  await page.keyboard.press('Control+d')
  await page.getByText('Copied').filter({ hasText: 'b.txt' }).waitFor()
  await page.keyboard.press('Control+z')
  await page.getByText('Undone: Copied').waitFor()
  t.same(names(root), ['a (1).txt', 'a.txt', 'b.txt'])
  const reload = async () => {
    await page.reload()
    await itemNamed(page, 'a.txt').waitFor()
    t.equal(await notice(page).count(), 0)
  }
  await reload()
  await page.getByRole('grid').press('Control+z')
  await page.getByText('Undone: Copied').waitFor()
  t.same(names(root), ['a.txt', 'b.txt'])
  await reload()
  await page.getByRole('grid').press('Control+Shift+z')
  await page.getByText('Done again: Copied').waitFor()
  await page.getByRole('grid').press('Control+Shift+z')
  await page.getByText('Done again: Copied').filter({ hasText: 'b.txt' }).waitFor()
  t.equal(names(root).length, 4)
  t.match(await page.evaluate(() => JSON.stringify(sessionStorage)), 'b.txt')
  await chooseAccount(page, 'Sign out')
  // The page loads again after signing out.
  await page.waitForURL('**/login')
  await page.getByLabel('Username').waitFor()
  t.equal(await page.evaluate(() => sessionStorage.length), 0, 'no names of files stay behind')
})

t.test('every tab has a history of its own, which the next user of the tab does not get', async (t) => {
  const { page, root, address } = await start(t, { 'a.txt': 'a' })
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Control+d')
  await page.getByText('Copied').waitFor()
  const before = names(root)
  await signInAs(t, page, { perm: { create: true, rename: true, modify: true, delete: true } })
  const undone: string[] = []
  const tab = await page.context().newPage()
  for (const one of [page, tab])
    one.on('request', (request) => request.url().includes('/undo') && undone.push(request.url()))
  const tryUndo = async (one: Page) => {
    await itemNamed(one, 'a.txt').waitFor()
    await one.getByRole('grid').press('Control+z')
    await one.keyboard.press('?')
    await one.getByRole('dialog').getByText('Undo the last change').waitFor()
    await one.keyboard.press('Escape')
  }
  await tab.goto(address)
  await tryUndo(tab)
  // The first tab follows: the browser has one session.
  await chooseAccount(tab, 'Sign out')
  await tab.getByLabel('Username').fill('bob')
  await tab.getByLabel('Password').fill('some other long passphrase')
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await itemNamed(tab, 'a.txt').waitFor()
  await page.bringToFront()
  // Not by reloading, which would clear the history anyway.
  await page.evaluate(() => {
    history.pushState(null, '', '/files/')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  await page.getByRole('button', { name: 'Account: bob' }).waitFor()
  await tryUndo(page)
  t.same(undone, [])
  t.same(names(root), before)
})

t.test('a user does not get what is undone for the user before', async (t) => {
  const { page, address } = await start(t, { 'a.txt': 'a' })
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Control+d')
  await page.getByText('Copied').waitFor()
  await signInAs(t, page, { perm: { create: true, delete: true } })
  const undo = await delayResponses(page, '**/api/operations/*/undo', 'POST')
  const undone = page.waitForResponse('**/api/operations/*/undo')
  await page.getByRole('grid').press('Control+z')
  await undo.waitForCalls()
  const tab = await page.context().newPage()
  await tab.goto(address)
  await itemNamed(tab, 'a.txt').waitFor()
  await chooseAccount(tab, 'Sign out')
  await tab.getByLabel('Username').fill('bob')
  await tab.getByLabel('Password').fill('some other long passphrase')
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await itemNamed(tab, 'a.txt').waitFor()
  await page.bringToFront()
  // Bob is the second user.
  await page.waitForFunction(() => sessionStorage.getItem('coffer.changes')?.includes('"user":2'))
  undo.release()
  await (await undone).finished()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  t.match(await page.evaluate(() => sessionStorage.getItem('coffer.changes')), '"redo":[]')
})

t.test(
  'the question before deletion says what will happen, and Shift+Delete asks for permanent deletion',
  async (t) => {
    // Without animations, so that colours are final at once.
    const { page } = await start(t, { 'a.txt': 'a', folder: {} }, { reducedMotion: 'reduce' })
    await changePreferences(page, { askBeforeTrash: true })
    const keeping = { trash: true, versions: true, isFull: false, days: 30 }
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/delete/')) sent.push(new URL(request.url()).search)
    })
    const answer = (reply: object) =>
      page.route('**/api/keeping/**', (route) => route.fulfill({ json: reply }), { times: 1 })
    const dialog = page.getByRole('dialog')

    await answer(keeping)
    await itemNamed(page, 'a.txt').click()
    await page.keyboard.press('Delete')
    await dialog.getByText('The trash keeps deleted items for 30 days.').waitFor()
    t.same(await violations(page, '[role=dialog]'), [])
    const confirm = dialog.getByRole('button', { name: 'Move to trash' })
    t.ok(await confirm.evaluate((one) => one === document.activeElement), 'Enter confirms')
    await dialog.getByLabel('Delete permanently').check()
    await dialog.getByText("This can't be undone.").waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await answer(keeping)
    await itemNamed(page, 'folder').click()
    await page.keyboard.press('Shift+Delete')
    await dialog.getByRole('heading', { name: 'Delete permanently?' }).waitFor()
    t.ok(await dialog.getByLabel('Delete permanently').isChecked())
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await answer({ ...keeping, trash: false, isFull: true })
    await itemNamed(page, 'a.txt').click()
    await page.keyboard.press('Delete')
    await dialog.getByText('This folder has no trash, so deletion is permanent.').waitFor()
    t.match(await dialog.getByRole('link', { name: 'Open the trash' }).getAttribute('href'), /\/trash$/)
    t.same(await violations(page, '[role=dialog]'), [])
    t.ok(
      await dialog.getByRole('button', { name: 'Cancel' }).evaluate((one) => one === document.activeElement),
      'Enter deletes nothing for good',
    )
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('Deleted').waitFor()
    t.equal(await notice(page).getByRole('button', { name: 'Undo' }).count(), 0)
    t.same(sent, ['?permanent=true'])
  },
)

t.test('an upload can be undone by a user who may create, but not delete', async (t) => {
  const { page, root } = await start(t, { 'old.txt': 'old' })
  const perm = { create: true, modify: true, download: true, delete: false }
  const his = await signInAs(t, page, { perm })
  await itemNamed(his, 'old.txt').waitFor()
  await chooseFiles(his, 'Upload files', [file('new.txt', 'new')])
  await itemNamed(his, 'new.txt').waitFor()
  t.same(names(root), ['new.txt', 'old.txt'])
  await notice(his).getByRole('button', { name: 'Undo' }).click()
  await itemNamed(his, 'new.txt').waitFor(gone)
  t.same(names(root), ['old.txt'])
})
