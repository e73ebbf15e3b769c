import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  start,
  testUser,
  untilQuiet,
  violations,
} from '#web/testing/browser.ts'
import { dropFiles } from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const
const refusal = "You don't have permission for this: Upload files"

/**
 * Simulates a drag and drop of a file over `target`. Returns the drop effect, or `lost` if the browser would open the
 * file.
 */
function simulateDrop(page: Page, target: string) {
  return page.locator(target).evaluate((element) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'x.txt'))
    dataTransfer.effectAllowed = 'all'
    const make = (type: string) => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })
    const over = make('dragover')
    element.dispatchEvent(over)
    const dropped = make('drop')
    element.dispatchEvent(dropped)
    return over.defaultPrevented && dropped.defaultPrevented ? over.dataTransfer?.dropEffect : 'lost'
  })
}

t.test('ignores files dropped on a page without a target, and the page stays open', async (t) => {
  const { page, address } = await start(t, { 'a.bin': '\0', 'b.txt': 'text' })
  for (const [place, target] of [
    ['/settings/profile', 'main'],
    ['/files/a.bin', '[data-part=file]'],
    ['/files/b.txt', '[data-part=file] header'],
    ['/share/nothing', 'main'],
  ] as const) {
    await page.goto(address + place)
    await page.locator(target).first().waitFor()
    // Drops are handled as soon as all code of the page has been loaded.
    await untilQuiet(page)
    t.equal(await simulateDrop(page, target), 'none', place)
  }
})

t.test('shows an error during and after a drag if the user may not upload', async (t) => {
  const root = t.testdir({ 'a.txt': '' })
  const address = await serve(t, root)
  const call = (path: string, body: object, token = '') =>
    fetch(`${address}/api/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  const token = await (await call('login', { username: testUser.name, password: testUser.password })).text()
  const guest = { username: 'guest', password: 'a guest of this house' }
  const newUser = { what: 'user', which: [], data: { ...guest, perm: { create: false, download: true } } }
  t.equal((await call('users', newUser, token)).status, 201)
  const page = await openPage(t)
  const guestToken = await (await call('login', guest)).text()
  await page.goto(`${address}/api/docs`)
  await page.evaluate((token) => localStorage.setItem('jwt', token), guestToken)
  await page.goto(address)
  await page.getByRole('button', { name: 'Info' }).waitFor()
  const desktop = await page.context().newCDPSession(page)
  const file = path.join(t.testdirName, '..', 'held.txt')
  await writeFile(file, '')
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver'] as const)
    await desktop.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })
  await page.locator('[data-part=drop]').getByText(refusal).waitFor()
  t.same(await violations(page, '[data-part=drop]'), [])
  await desktop.send('Input.dispatchDragEvent', { type: 'drop', x: 600, y: 400, data })
  await page.locator('[data-part=drop]').waitFor(settled)
  await dropFiles(page, '[data-part=list]', [{ name: 'b.txt', content: 'b' }])
  await page.getByRole('alert').getByText(refusal).waitFor()
  t.equal(await itemNamed(page, 'b.txt').count(), 0)
})

t.test('a folder opens when dragged files rest on it, and accepts them', async (t) => {
  const { page, root } = await start(t, { one: { two: {} }, 'a.txt': '' })
  await page.getByRole('button', { name: 'Info' }).waitFor()
  const file = path.join(path.dirname(root), 'new.txt')
  await writeFile(file, 'new')
  const desktop = await page.context().newCDPSession(page)
  const box = (await itemNamed(page, 'one').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  await desktop.send('Input.dispatchDragEvent', { type: 'dragEnter', x, y, data })
  await desktop.send('Input.dispatchDragEvent', { type: 'dragOver', x, y, data })
  await itemNamed(page, 'two').waitFor()
  for (const type of ['dragOver', 'drop'] as const)
    await desktop.send('Input.dispatchDragEvent', { type, x, y: y + 300, data })
  await itemNamed(page, 'new.txt').waitFor()
  t.match(page.url(), '/files/one/')
})
