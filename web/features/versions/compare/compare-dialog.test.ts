import type { Page } from 'playwright-core'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { callerOf, settle } from '#web/testing/call.ts'
import { compared, info, lines, numbered, openPart } from '#web/testing/versions.ts'

t.teardown(closeBrowser)

const gone = { state: 'detached' } as const

t.test('pictures are compared side by side, and other files by size and time', async (t) => {
  const files = { 'a.png': asPng(plain(30, 20, [200, 0, 0])), 'b.bin': Buffer.from([0, 1, 2]) }
  const { page } = await start(t, files)
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.png', asPng(plain(40, 20, [0, 0, 200])))
  await call('PUT', '/api/resources/b.bin', Buffer.from([0]))
  await openPart(page, 'a.png', 'Versions')
  await info(page).getByRole('button', { name: 'Compare' }).click()
  const widths = () =>
    compared(page)
      .getByRole('img')
      .evaluateAll(async (all) => {
        for (const one of all as HTMLImageElement[]) await one.decode()
        return (all as HTMLImageElement[]).map((one) => one.naturalWidth)
      })
  await compared(page).getByRole('img').nth(1).waitFor()
  t.same(await widths(), [30, 40])
  await page.keyboard.press('Escape')
  await compared(page).waitFor(gone)
  // The focus returns to the button.
  await page.locator('[aria-label=Compare]:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  await itemNamed(page, 'b.bin').click()
  await info(page).getByText('1 byte', { exact: true }).waitFor()
  await info(page).getByRole('button', { name: 'Compare' }).click()
  await compared(page).getByText('Only texts can be compared line by line.').waitFor()
  t.match(await compared(page).getByRole('figure').allInnerTexts(), [/3 bytes · /, /1 byte · /])
})

t.test('a comparison stays open while the file is changed', async (t) => {
  const { page } = await start(t, { 'a.txt': numbered(' one') })
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.txt', numbered(' two'))
  await openPart(page, 'a.txt', 'Versions')
  await lines(page).getByRole('button', { name: 'Compare' }).click()
  await compared(page).getByRole('deletion').waitFor()
  const label = await compared(page).getByLabel('Before').getByRole('option').nth(1).textContent()
  t.match(label, / \(replaced by ann\)$/, 'which is not who wrote it')
  await call('PUT', '/api/resources/a.txt', numbered(' three'))
  await compared(page).getByRole('option').nth(5).waitFor({ state: 'attached' })
  await compared(page).getByRole('button', { name: 'Close' }).click()
  await lines(page).nth(1).waitFor()
  t.equal(await lines(page).count(), 2, 'the new version is in the list')
})

t.test('a comparison has one column on a phone, and errors can be retried', async (t) => {
  const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, colorScheme: 'dark' } as const
  const { page } = await start(t, { 'a.txt': numbered(' one') }, phone)
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.txt', numbered(' two'))
  let isBroken = true
  await page.route('**/api/versions/**', (route) => (isBroken ? route.abort() : route.continue()))
  await openPart(page, 'a.txt', 'Versions')
  await info(page).getByRole('alert').getByText("Can't reach the server.").waitFor()
  isBroken = false
  await info(page).getByRole('button', { name: 'Try again' }).click()
  await info(page).getByRole('button', { name: 'Compare' }).click()
  const [before, after] = [compared(page).getByRole('deletion'), compared(page).getByRole('insertion')]
  await before.waitFor()
  const [upper, lower] = [await before.boundingBox(), await after.boundingBox()]
  t.equal(upper?.x, lower?.x)
  t.ok((upper?.y ?? 0) < (lower?.y ?? 0), 'the old line is above the new one')
  await settle(page)
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
})

/** Selects a file, compares its oldest version with its content, and returns the dialog. */
async function compare(page: Page, name: string) {
  await itemNamed(page, name).click()
  await info(page).getByText(name, { exact: true }).waitFor()
  await lines(page).getByRole('button', { name: 'Compare' }).last().click()
  const dialog = page.getByRole('dialog', { name: new RegExp(`^Compare: .*${name}`) })
  await dialog.waitFor()
  return dialog
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor(gone)
}

t.test('a comparison shows any text safely, and says what cannot be compared', async (t) => {
  const long = Array.from({ length: 700 }, (_, n) => `row ${n}\n`).join('')
  const contents: Record<string, [before: string, after: string]> = {
    'ends.txt': ['a\nb\n', '\uFEFFa\r\nb\r\n'],
    'rows.txt': [long, long.replaceAll('row', 'ROW')],
    'marks.txt': [
      '<b>one</b> \u0645\u0631\u062D\u0628\u0627\n',
      '<b>two</b> \u0645\u0631\u062D\u0628\u0627\n',
    ],
    'wide.txt': [`${'x'.repeat(5000)}\n`, `${'y'.repeat(5000)}\n`],
    'many.txt': ['\n'.repeat(100_001), '\n'],
    'huge.txt': ['z'.repeat(2 * 1024 * 1024 + 1), 'z'],
  }
  const { page } = await start(
    t,
    Object.fromEntries(Object.entries(contents).map(([name, [before]]) => [name, before])),
  )
  const call = await callerOf(page)
  for (const [name, [, after]] of Object.entries(contents)) await call('PUT', `/api/resources/${name}`, after)
  await openPart(page, 'ends.txt', 'Versions')

  await t.test('contents that differ only in their line endings are said to do so', async (t) => {
    const dialog = await compare(page, 'ends.txt')
    await dialog.getByText('Only the line endings or invisible marks differ.').waitFor()
    t.equal(await dialog.getByRole('table').count(), 0)
    await close(page)
  })

  await t.test('a long comparison is shown in steps, and is scrolled by keyboard', async (t) => {
    const dialog = await compare(page, 'rows.txt')
    await dialog.getByText('700 lines removed, 700 lines added').waitFor()
    const box = dialog.getByRole('region', { name: 'Differences' })
    t.equal(await box.getByRole('row').count(), 501, 'the head, and 500 rows')
    await box.focus()
    await page.keyboard.press('End')
    await page.waitForFunction(() => (document.querySelector('[role=dialog] section')?.scrollTop ?? 0) > 0)
    await box.getByRole('button', { name: 'Show more' }).press('Enter')
    await box.getByRole('row').nth(700).waitFor()
    t.equal(await box.getByRole('button').count(), 0)
    await close(page)
  })

  await t.test('the changed part of a line is marked, and code in a text is only text', async (t) => {
    const dialog = await compare(page, 'marks.txt')
    await dialog.getByRole('deletion').waitFor()
    t.strictSame(await dialog.locator('del b').allTextContents(), ['one'])
    t.strictSame(await dialog.locator('ins b').allTextContents(), ['two'])
    t.match(await dialog.getByRole('insertion').innerText(), '<b>two</b>')
    t.match(await dialog.getByRole('row').last().locator('td').allInnerTexts(), ['1−', 'one', '1+', 'two'])
    await close(page)
  })

  await t.test('very long lines are cut in a comparison', async (t) => {
    const dialog = await compare(page, 'wide.txt')
    await dialog.getByRole('deletion').waitFor()
    t.match(await dialog.getByRole('deletion').innerText(), /x{2000}…$/)
    await close(page)
  })

  await t.test('a text with too many lines or bytes is not compared', async (t) => {
    for (const name of ['many.txt', 'huge.txt']) {
      const dialog = await compare(page, name)
      await dialog.getByText('These contents are too large to be compared here.').waitFor()
      t.equal(await dialog.getByRole('figure').count(), 2, name)
      await close(page)
    }
  })

  await t.test('a comparison that cannot be loaded says why', async (t) => {
    await page.route('**/api/raw/**', (route) => route.abort())
    const dialog = await compare(page, 'marks.txt')
    await dialog.getByRole('alert').getByText("Can't reach the server.").waitFor()
    await page.unroute('**/api/raw/**')
    await dialog.getByLabel('Before').selectOption('Current content')
    await dialog.getByText('There are no differences.').waitFor()
    t.same(await violations(page, '[role=dialog]'), [])
    await close(page)
  })
})
