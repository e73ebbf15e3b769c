import t from 'tap'
import {
  changePreferences,
  closeBrowser,
  currentName,
  itemNamed,
  selectedNames,
  start,
  violations,
  visibleNames,
} from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const files = { docs: {}, art: {}, 'b.txt': 'bb', 'a.txt': 'a', 'c.txt': 'ccc' }

for (const view of ['list', 'mosaic'] as const) {
  t.test(`the ${view} has column headers that sort, and the sections Folders and Files`, async (t) => {
    const { page } = await start(t, files)
    await itemNamed(page, 'a.txt').waitFor()
    if (view === 'mosaic') await changePreferences(page, { viewMode: view })
    await page
      .locator(view === 'list' ? '[data-part=row]' : '[data-part=card]')
      .first()
      .waitFor()
    const grid = page.getByRole('grid')
    t.same(await grid.locator('[data-part=section]').allInnerTexts(), ['Folders', 'Files'])
    t.same(await visibleNames(page), ['art', 'docs', 'a.txt', 'b.txt', 'c.txt'])
    t.same(await grid.getByRole('rowheader').allInnerTexts(), ['Folders', 'Files'])
    const places = await grid
      .locator('[aria-rowindex]')
      .evaluateAll((rows) => rows.map((row) => row.ariaRowIndex))
    t.same(
      places,
      places.map((_, n) => `${n + 1}`),
      'titles count as rows',
    )
    t.equal(await grid.getAttribute('aria-rowcount'), `${places.length}`)
    const head = (name: string) => grid.getByRole('columnheader', { name })
    await head('Size').getByRole('button').click()
    await grid.locator('[aria-sort=ascending]', { hasText: 'Size' }).waitFor()
    await head('Size').getByRole('button').click()
    await grid.locator('[aria-sort=descending]', { hasText: 'Size' }).waitFor()
    await page.locator('[data-index="2"]', { hasText: 'c.txt' }).waitFor()
    t.same((await visibleNames(page)).slice(2), ['c.txt', 'b.txt', 'a.txt'])
    await head('Last modified').getByRole('button').click()
    // Of times, the newest come first.
    await grid.locator('[aria-sort=descending]', { hasText: 'Last modified' }).waitFor()
    await head('Name').getByRole('button').click()
    await grid.locator('[aria-sort=ascending]', { hasText: 'Name' }).waitFor()
    t.same(await violations(page), [])
  })
}

t.test('keys and selection boxes skip the section titles', async (t) => {
  const { page } = await start(t, files)
  await itemNamed(page, 'art').click()
  const grid = page.getByRole('grid')
  await grid.focus()
  for (const name of ['docs', 'a.txt', 'b.txt', 'c.txt']) {
    await page.keyboard.press('ArrowDown')
    t.equal(await currentName(page), name)
  }
  await page.keyboard.press('Home')
  t.equal(await currentName(page), 'art')
  const place = async (name: string) => {
    const box = await itemNamed(page, name).boundingBox()
    return [(box?.x ?? 0) + (box?.width ?? 0) * 0.6, (box?.y ?? 0) + (box?.height ?? 0) / 2] as const
  }
  await page.mouse.move(...(await place('docs')))
  await page.mouse.down()
  await page.mouse.move(...(await place('a.txt')))
  await page.mouse.move(...(await place('b.txt')))
  await page.locator('[data-index="3"][aria-selected=true]').waitFor()
  await page.mouse.up()
  t.same(await selectedNames(page), ['docs', 'a.txt', 'b.txt'])
  await grid.locator('[data-part=section]').last().click()
  t.same(await selectedNames(page), [], 'a click on a title clears the selection')
})

for (const view of ['list', 'mosaic'] as const) {
  t.test(`in the ${view} the column headers never cover the current item`, async (t) => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${1000 + n}`, '']))
    const { page } = await start(t, many)
    if (view === 'mosaic') await changePreferences(page, { viewMode: view })
    await itemNamed(page, 'f1000').click()
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('End')
    await page.locator('[data-current]', { hasText: 'f1119' }).waitFor()
    const isInSight = () =>
      page.waitForFunction(() => {
        const box = (part: string) => document.querySelector(part)?.getBoundingClientRect()
        const [row, head, list] = [box('[data-current]'), box('[data-part=head]'), box('[role=grid]')]
        return row && head && list && row.top >= head.bottom - 1 && row.bottom <= list.bottom + 1
      })
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press('ArrowUp')
      await isInSight()
    }
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press('ArrowDown')
      await isInSight()
    }
    t.pass()
  })
}

t.test('scrolling to the first folder shows the section title', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${1000 + n}`, '']))
  const { page } = await start(t, { folder: {}, ...many })
  await itemNamed(page, 'folder').click()
  const grid = page.getByRole('grid')
  await grid.focus()
  await page.keyboard.press('End')
  await page.locator('[data-current]', { hasText: 'f1299' }).waitFor()
  await page.keyboard.press('Home')
  await grid.locator('[data-part=section]').first().waitFor()
  const [head, title, row] = await Promise.all(
    ['[data-part=head]', '[data-part=section]', '[data-index="0"]'].map((part) =>
      grid.locator(part).first().boundingBox(),
    ),
  )
  t.ok(head && title && row)
  if (!head || !title || !row) return
  t.ok(title.y >= head.y + head.height - 1, 'below the column headers')
  t.ok(row.y >= title.y + title.height - 1)
})
