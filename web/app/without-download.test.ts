import { readFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, itemNamed, signInAs, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)
const perm = { create: true, modify: true, rename: true, delete: true, download: false }

t.test(
  'modify (editor save): a user without the permission to download opens a text, edits and saves it',
  async (t) => {
    const { page: admin, root } = await start(t, { 'a.txt': 'one' })
    const page = await signInAs(t, admin, { perm })
    await itemNamed(page, 'a.txt').dblclick()
    const area = page.getByRole('textbox', { name: 'a.txt' })
    await area.press('ControlOrMeta+End')
    await page.keyboard.type(' two')
    await page.keyboard.press('ControlOrMeta+s')
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor()
    t.equal(await readFile(path.join(root, 'a.txt'), 'utf8'), 'one two')
    t.equal(
      await page.getByRole('main', { name: 'a.txt' }).getByRole('button', { name: 'Download' }).count(),
      0,
    )
  },
)

t.test('the error page of a picture says that the permission to download is missing', async (t) => {
  const { page: admin } = await start(t, {
    'a.png': picture,
    'b.mp4': 'film',
    'c.pdf': '%PDF-1.4',
    'd.bin': '\0',
  })
  const page = await signInAs(t, admin, { perm })
  for (const name of ['a.png', 'b.mp4', 'c.pdf', 'd.bin']) {
    await itemNamed(page, name).dblclick()
    const open = page.getByRole('main', { name })
    t.equal(
      await open.getByRole('alert').textContent(),
      "You don't have permission to download this file.",
      name,
    )
    t.equal(await open.getByText("can't be shown").count(), 0)
    t.equal(await open.getByRole('button', { name: /^(Film strip|Slide show)$/ }).count(), 0, name)
    t.equal(await open.getByRole('navigation', { name: 'Film strip' }).count(), 0, name)
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'Close' }).click()
    await itemNamed(page, name).waitFor()
  }
})
