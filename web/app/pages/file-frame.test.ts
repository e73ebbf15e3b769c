import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { silence } from '#web/testing/silence.ts'

t.teardown(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)

const zoom = (page: Page, percent: number) =>
  page
    .getByRole('status', { name: 'Zoom' })
    .filter({ hasText: new RegExp(`^${percent}`) })
    .waitFor()

t.test(
  'the arrow keys turn to the next file even after a button press, and Enter still presses the button',
  async (t) => {
    const { page } = await start(t, { '1.png': picture, '2.png': picture })
    await itemNamed(page, '1.png').dblclick()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await zoom(page, 125)
    await page.keyboard.press('Enter')
    await zoom(page, 150)
    await page.keyboard.press('ArrowRight')
    await page.getByRole('img', { name: '2.png' }).waitFor()
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByRole('img', { name: '1.png' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('img', { name: '2.png' }).waitFor()
  },
)

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  const isStill = reducedMotion === 'reduce'
  t.test(
    `a file ${isStill ? 'is shown at once with reduced motion' : 'fades in above its folder, and the folder when it closes'}`,
    async (t) => {
      const { page } = await start(t, { '1.png': picture, '2.png': picture }, { reducedMotion })
      await itemNamed(page, '1.png').waitFor()
      await page.evaluate(() => {
        const fades: string[] = []
        Object.assign(globalThis, { fades })
        const note = ({ target, type }: Event) => {
          const main = target as HTMLElement
          // A slow page ends the fade before it reports its start, so the style is asked, not the animation.
          const { animationDuration, transitionDuration } = getComputedStyle(main)
          const duration = type === 'animationstart' ? animationDuration : transitionDuration
          if (main.matches('main') && duration === '0.15s')
            fades.push(`${main.ariaLabel ?? 'folder'} ${type}`)
        }
        for (const type of ['animationstart', 'transitionrun']) addEventListener(type, note)
      })
      await itemNamed(page, '1.png').dblclick()
      await page.getByRole('img', { name: '1.png' }).waitFor()
      await page.keyboard.press('ArrowRight')
      await page.getByRole('img', { name: '2.png' }).waitFor()
      // The folder becomes invisible when the file has faded in. Only an invisible folder fades in.
      await page.waitForFunction(
        () => getComputedStyle(document.querySelector('main[inert]')!).opacity === '0',
      )
      await page.keyboard.press('Escape')
      await page.getByRole('main', { name: '2.png' }).waitFor({ state: 'detached' })
      await page.waitForFunction(() => document.getAnimations().length === 0)
      const expected = isStill ? [] : ['1.png animationstart', 'folder transitionrun']
      t.same(await page.evaluate('fades'), expected)
    },
  )
}

t.test('no two buttons of an open file have the same icon', async (t) => {
  const content = { 'a.txt': 'a', 'b.md': '# b', 'c.png': picture, 'd.png': picture, 'e.mp4': silence(1) }
  const { page, address } = await start(t, content)
  for (const [name, last] of [
    ['a.txt', 'Find and replace'],
    ['b.md', 'Find and replace'],
    ['c.png', 'Zoom in'],
    ['e.mp4', 'Full screen'],
  ] as const) {
    await page.goto(`${address}/files/${name}`)
    const buttons = page.getByRole('main', { name }).getByRole('button')
    for (const label of ['Search in this folder', 'Info', last])
      await buttons.and(page.getByRole('button', { name: label })).waitFor()
    const used = await buttons.evaluateAll((all) =>
      all.flatMap((one) => {
        const icon = one.querySelector('svg')?.innerHTML
        return icon ? [{ icon, label: one.ariaLabel ?? one.textContent }] : []
      }),
    )
    const labels = Map.groupBy(used, ({ icon }) => icon)
    const equal = [...labels.values()].map((some) => some.map(({ label }) => label))
    t.strictSame(
      equal.filter((some) => new Set(some).size > 1),
      [],
      name,
    )
  }
})

t.test('a Delete key that is held down deletes one file', async (t) => {
  const { page, root } = await start(t, { '1.png': picture, '2.png': picture, '3.png': picture })
  await itemNamed(page, '1.png').dblclick()
  await page.getByRole('img', { name: '1.png' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await page.keyboard.down('Delete')
  await page.getByRole('img', { name: '2.png' }).waitFor()
  await page.locator('[data-part=file][aria-busy=false]').waitFor()
  await page.keyboard.down('Delete') // a second time without a release: it repeats
  await page.keyboard.up('Delete')
  await page.keyboard.press('PageDown')
  await page.getByRole('img', { name: '3.png' }).waitFor()
  t.same(await readdir(root), ['2.png', '3.png'])
})

t.test('an open file stays while the network is away and back, also if it has gone', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'old' }, { path: '/files/a.txt' })
  const text = page.getByRole('textbox')
  await text.fill('not saved')
  await page.context().setOffline(true)
  await rm(join(root, 'a.txt'))
  await page.context().setOffline(false)
  await page.locator('[data-part=outside]').waitFor()
  t.equal(await text.innerText(), 'not saved')
})

t.test('typing in a dialog does not affect the picture behind it', async (t) => {
  const { page } = await start(t, { '1.png': picture })
  await itemNamed(page, '1.png').dblclick()
  await zoom(page, 100)
  await page.keyboard.press('F2')
  const field = page.getByRole('dialog').getByLabel('New name')
  await field.fill('')
  await field.pressSequentially('2024-10+.png')
  await zoom(page, 100)
  await page.keyboard.press('Enter')
  await page.getByRole('img', { name: '2024-10+.png' }).waitFor()
  await page.keyboard.press('+')
  await zoom(page, 125)
})

for (const width of [1280, 390]) {
  t.test(`the focus cannot leave an open file: ${width} pixels wide`, async (t) => {
    const { page } = await start(t, { '1.png': picture }, { viewport: { width, height: 800 } })
    await itemNamed(page, '1.png').dblclick()
    await zoom(page, 100)
    const focused = new Set<string>()
    for (let press = 0; press < 40; press++) {
      await page.keyboard.press('Tab')
      focused.add(
        await page.evaluate(() => {
          const at = document.activeElement
          return at?.closest('[data-part=file]') ? 'file' : (at?.outerHTML.slice(0, 80) ?? '')
        }),
      )
    }
    focused.delete('file')
    t.same(
      // The skip link leads back into the file.
      [...focused].filter((place) => !place.startsWith('<body') && !place.includes('data-part="skip"')),
      [],
    )
    await page.getByRole('button', { name: 'Close' }).click()
    const control =
      width > 800
        ? page.getByRole('link', { name: 'My files' }).first()
        : page.getByRole('button', { name: 'Menu' })
    await control.focus()
    t.ok(
      await control.evaluate((one) => one.matches(':focus')),
      'after closing the file everything can be focused again',
    )
  })
}

t.test(
  'an open text can be starred, shared and moved, and moving it asks about unsaved changes',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': 'a', to: {} }, { path: '/files/a.txt' })
    const tools = page.getByRole('main', { name: 'a.txt' }).getByRole('toolbar')
    await tools.getByRole('button', { name: 'Share' }).waitFor()
    await tools.getByRole('button', { name: 'Add to starred' }).click()
    await tools.getByRole('button', { name: 'Remove from starred' }).waitFor()
    await page.getByRole('textbox', { name: 'a.txt' }).press('ControlOrMeta+End')
    await page.keyboard.type('!')
    await tools.getByRole('button', { name: 'Move to…' }).click()
    await page
      .getByRole('dialog', { name: 'Save your changes?' })
      .getByRole('button', { name: 'Save' })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Move' })
    await dialog.getByRole('treeitem', { name: 'to' }).click()
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    // The page follows the file.
    await page.waitForURL('**/files/to/')
    t.equal(await readFile(join(root, 'to/a.txt'), 'utf8'), 'a!')
  },
)

t.test('signing out with unsaved changes asks about them', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a' }, { viewport: { width: 390, height: 800 } })
  await itemNamed(page, 'a.txt').dblclick()
  const text = page.getByRole('textbox', { name: 'a.txt' })
  await text.press('ControlOrMeta+End')
  await page.keyboard.type('!')
  const signOut = async () => {
    // The menu may be open already while the file is loading, and is then above the file.
    await page.evaluate(() => document.querySelector('dialog')?.showModal())
    await chooseAccount(page, 'Sign out')
  }
  await signOut()
  const question = page.getByRole('dialog', { name: 'Save your changes?' })
  await question.waitFor()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await question.waitFor({ state: 'detached' })
  t.equal(await text.textContent(), 'a!')
  await signOut()
  await question.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'a!')
})

t.test(
  'the search shortcut searches the editor if it is visible, else it is left to the browser',
  async (t) => {
    const { page } = await start(t, { 'a.md': '# words' }, { path: '/files/a.md' })
    const views = page.getByRole('toolbar', { name: 'View' })
    const find = page.getByRole('textbox', { name: 'Find' })
    /** Whether the page handled the search shortcut. */
    const isHandled = () =>
      page.evaluate(() => {
        const init = { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }
        return !document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init))
      })
    await views.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByRole('heading', { name: 'words' }).waitFor()
    t.notOk(await isHandled())
    await views.getByRole('button', { name: 'Text', exact: true }).click()
    await page.getByRole('textbox', { name: 'a.md' }).waitFor()
    t.equal(await find.count(), 0, 'no search panel was opened in the hidden editor')
    t.ok(await isHandled())
    await find.waitFor()
  },
)
