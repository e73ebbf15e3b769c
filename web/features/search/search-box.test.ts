import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const files = {
  'summer.jpg': '',
  docs: { 'summer plan #1?.txt': 'the plan', music: { 'summer.mp3': '' } },
  'winter.txt': '',
}

t.test(
  'Ctrl+F searches names below the folder; arrow keys select a result, and Enter opens it',
  async (t) => {
    const { page } = await start(t, files)
    await page.getByRole('button', { name: 'Search' }).waitFor()
    await page.keyboard.press('Control+f')
    const field = page.getByRole('combobox', { name: 'Search' })
    await field.press('Enter')
    t.ok(await field.isVisible(), 'an empty query does nothing')
    const said = await page
      .getByRole('dialog')
      .getByRole('status')
      .evaluateHandle((one) => {
        const texts: string[] = []
        const record = () => texts.push(one.textContent ?? '')
        new MutationObserver(record).observe(one, { childList: true, characterData: true, subtree: true })
        return texts
      })
    await field.fill('plan')
    await page.getByRole('option', { name: 'summer plan' }).waitFor()
    await page.getByText('1 result').waitFor()
    t.notMatch(String(await said.jsonValue()), /No results/, 'says nothing before the search has ended')
    t.equal(await page.getByRole('option').locator('mark').textContent(), 'plan')
    t.same(await violations(page, '[role=dialog]'), [])
    await field.fill('summer')
    await page.getByText('3 results').waitFor()
    const deep = page.getByRole('option').filter({ hasText: 'summer.mp3' })
    t.equal(
      await deep.locator('bdi').last().innerText(),
      'docs/music',
      'its folder, from the searched one on',
    )
    await field.press('ArrowDown')
    await field.press('ArrowDown')
    await field.press('ArrowUp')
    const second = await page.getByRole('option').nth(1).getAttribute('data-tip')
    t.equal(await page.locator('[role=option][aria-selected=true]').getAttribute('data-tip'), second)
    await field.fill('plan')
    await page.getByText('1 result').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('the plan').first().waitFor()
  },
)

t.test('a tile filters by type, and a result can be shown in its folder', async (t) => {
  const { page } = await start(t, files, { colorScheme: 'dark', viewport: { width: 390, height: 800 } })
  await page.getByRole('button', { name: 'Search' }).waitFor()
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search' })
  await field.fill('summer')
  await page.getByText('3 results').waitFor()
  await page.getByRole('button', { name: 'Music' }).click()
  await page.getByText('1 result').waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await field.press('Shift+Enter')
  await itemNamed(page, 'summer.mp3').waitFor()
  t.same(await selectedNames(page), ['summer.mp3'])
  t.match(page.url(), /\/files\/docs\/music\/$/)
  await page.keyboard.press('/')
  await field.fill('winter')
  await page.getByText('No results in music.').waitFor()
  await page.getByRole('button', { name: 'Search all my files' }).click()
  await page.getByText('1 result').waitFor()
  await page.getByRole('button', { name: 'Show in folder' }).click()
  await itemNamed(page, 'winter.txt').waitFor()
  t.same(await selectedNames(page), ['winter.txt'])
})

t.test('finds only names that contain all of the words', async (t) => {
  const { page } = await start(t, {
    'Summer plan 2024.txt': '',
    'summer 2023.txt': '',
    'plan b.txt': '',
    deep: { 'the PLAN of summer.md': '', ['grüne summer plan.txt'.normalize('NFD')]: '' },
  })
  await page.getByRole('button', { name: 'Search' }).click()
  const field = page.getByRole('combobox', { name: 'Search' })
  await page.getByText('Finds names that contain all of the words.').waitFor()
  for (const [words, count] of [
    ['summer plan', '3 results'],
    ['plan  summer 2024', '1 result'],
    ['"summer plan" 2024', '1 result'],
    ['summer plan type:md', '1 result'],
    ['Summer plan case:sensitive', '1 result'],
    ['plan GRÜNE', '1 result'],
  ] as const) {
    await field.fill(words)
    await page.getByRole('status').getByText(count, { exact: true }).waitFor()
    // Without results in between, the next number could be that of the words before.
    await field.fill('summer winter')
    await page.getByText('No results').waitFor()
  }
})

t.test('shows 50 results at first, and more when the user scrolls near the end', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`many ${n}.txt`, '']))
  const { page } = await start(t, many)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill('many')
  await page.getByText('130 results').waitFor()
  t.equal(await page.getByRole('option').count(), 50)
  await page.getByRole('listbox').evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await page.getByRole('option').nth(99).waitFor()
  await page.getByRole('combobox', { name: 'Search' }).fill('nothing like this')
  await page.getByText('No results').waitFor()
})

t.test('finds and shows files with any name', async (t) => {
  const hostile = [
    'a b#?%.txt',
    '<img src=x onerror=alert(1)>.txt',
    '🎉 party.txt',
    '%2e%2e%2f.txt',
    '[(+*.txt',
  ]
  const { page } = await start(t, {
    deep: Object.fromEntries(hostile.map((name) => [name, `this is ${name}`])),
  })
  await page.getByRole('button', { name: 'Search' }).waitFor()
  for (const name of hostile) {
    await page.keyboard.press('Control+f')
    await page.getByRole('combobox', { name: 'Search' }).fill(`"${name}"`)
    await page.getByText('1 result').waitFor()
    await page.getByRole('combobox', { name: 'Search' }).press('Shift+Enter')
    await itemNamed(page, name).and(page.locator('[aria-selected=true]')).waitFor()
  }
})

t.test('shows results while the search is running, and can be stopped', async (t) => {
  const { page } = await start(t, files)
  await page.getByRole('button', { name: 'Search' }).waitFor()
  await page.evaluate(() => {
    const fetched = globalThis.fetch
    // Simulates a slow disk: the search returns one result and never ends.
    globalThis.fetch = (input, init) => {
      if (!String(input).includes('/api/search/')) return fetched(input, init)
      const lines = new TextEncoder().encode('{"dir":false,"path":"summer.jpg"}\n')
      const body = new ReadableStream({ start: (stream) => stream.enqueue(lines) })
      const headers = { 'Content-Type': 'application/x-ndjson' }
      return Promise.resolve(new Response(body, { headers }))
    }
  })
  await page.keyboard.press('Control+f')
  await page.getByRole('combobox', { name: 'Search' }).fill('summer')
  await page.getByText('Searching… 1 so far').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('First 1 results. There may be more.').waitFor()
  t.equal(await page.getByRole('option').count(), 1)
})
