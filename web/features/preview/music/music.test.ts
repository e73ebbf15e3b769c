import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { silence } from '#web/testing/silence.ts'

t.teardown(closeBrowser)

const player = (page: Page) => page.getByRole('region', { name: 'Player' })
const playing = (page: Page, name: string) => player(page).getByTitle(name, { exact: true }).waitFor()

async function chooseInMenu(page: Page, names: readonly string[], choice: string): Promise<void> {
  for (const [n, name] of names.entries())
    await itemNamed(page, name).click({ modifiers: n > 0 ? ['ControlOrMeta'] : [] })
  await itemNamed(page, names.at(-1) ?? '').click({ button: 'right' })
  await page.getByRole('menuitem', { name: choice, exact: true }).click()
}

t.test('music goes on while other folders are shown, and after a rename', async (t) => {
  const { page } = await start(t, {
    album: { '1.wav': silence(60), '2.txt': '', '3.wav': silence(60) },
    other: { 'a.txt': '' },
  })
  await itemNamed(page, 'album').dblclick()
  await itemNamed(page, '1.wav').dblclick()
  const open = page.getByRole('main', { name: '1.wav' })
  await open.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  t.same(await violations(page, '[data-part=file]'), [])
  await page.keyboard.press('Escape')
  await playing(page, '1.wav')
  t.same(await violations(page), [])
  await page.getByRole('link', { name: 'My files' }).first().click()
  await itemNamed(page, 'other').dblclick()
  await itemNamed(page, 'a.txt').waitFor()
  const pause = player(page).getByRole('button', { name: 'Pause', exact: true })
  await pause.waitFor()
  const position = player(page).getByRole('slider', { name: 'Position' })
  await position.fill('30')
  t.match(await position.getAttribute('aria-valuetext'), /^0:3\d of 1:00$/)
  await position.press('Space')
  await player(page).getByRole('button', { name: 'Play', exact: true }).waitFor()
  await player(page).getByRole('link', { name: 'album' }).click()
  await itemNamed(page, '1.wav').click()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: /name/i }).fill('4.wav')
  await page.keyboard.press('Enter')
  await playing(page, '4.wav')
  await player(page).getByRole('button', { name: 'Play', exact: true }).click()
  await pause.waitFor()
  await player(page).getByRole('button', { name: 'Next track' }).click()
  await playing(page, '3.wav')
  await player(page).getByRole('button', { name: 'Close the player' }).click()
  await player(page).waitFor({ state: 'detached' })
})

t.test(
  'plays the selected files one after the other, and passes by those that cannot be played',
  async (t) => {
    const { page, root } = await start(t, {
      '1.wav': silence(1),
      '2.wav': 'broken',
      '3.wav': silence(1),
      '4.wav': silence(1),
      '5.wav': silence(1),
    })
    await chooseInMenu(page, ['1.wav', '2.wav', '3.wav', '5.wav'], 'Play')
    await playing(page, '1.wav')
    await rm(path.join(root, '3.wav'))
    await playing(page, '5.wav')
    await player(page).getByText("“3.wav” can't be played.").waitFor()
    // The queue ends with the last one.
    await player(page).getByRole('button', { name: 'Play', exact: true }).waitFor()
    t.equal(await player(page).getByTitle('5.wav', { exact: true }).count(), 1)
  },
)

t.test('the page of a track follows the music, and signing out ends it', async (t) => {
  const { page } = await start(t, { '1.wav': silence(60), '2.wav': silence(60) }, { path: '/files/1.wav' })
  const first = page.getByRole('main', { name: '1.wav' })
  await page.getByText('1 of 2').waitFor()
  await first.getByRole('button', { name: 'Next track' }).click()
  await page.getByRole('main', { name: '2.wav' }).waitFor()
  await page.keyboard.press('Escape')
  await playing(page, '2.wav')
  await chooseAccount(page, 'Sign out')
  await page.getByLabel('Username').waitFor()
  t.equal(await player(page).count(), 0)
})

t.test('on a phone, the player covers neither the round button nor the line below the list', async (t) => {
  const { page } = await start(
    t,
    { '1.wav': silence(60) },
    { hasTouch: true, viewport: { width: 390, height: 800 } },
  )
  await itemNamed(page, '1.wav').waitFor()
  await page.goto(new URL('/files/1.wav', page.url()).href)
  await page.getByRole('main', { name: '1.wav' }).getByRole('slider', { name: 'Position' }).waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await playing(page, '1.wav')
  const top = (await player(page).boundingBox())?.y ?? 0
  for (const part of [
    page.getByRole('button', { name: 'New', exact: true }).last(),
    page.locator('[data-part=status]'),
  ]) {
    const box = await part.boundingBox()
    t.ok(box && box.y + box.height <= top, JSON.stringify({ box, top }))
  }
})
