import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { silence } from '#web/testing/silence.ts'

t.teardown(closeBrowser)

const player = (page: Page) => page.getByRole('region', { name: 'Player' })
const playing = (page: Page, name: string) => player(page).locator(`[data-full="${name}"]`).waitFor()

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
    t.equal(await player(page).locator('[data-full="5.wav"]').count(), 1)
  },
)

/** Records the functions that the page gives to the media keys of the device. */
function recordMediaKeys(): void {
  const set = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession)
  const keys: Partial<Record<string, MediaSessionActionHandler | null>> = {}
  Object.assign(globalThis, { mediaKeys: keys })
  navigator.mediaSession.setActionHandler = (action, handler) => {
    keys[action] = handler
    set(action, handler)
  }
}

t.test('the device shows the track, and its media keys control it', async (t) => {
  const { page } = await start(t, { album: { '1.wav': silence(60), '2.wav': silence(60) } })
  await page.addInitScript(recordMediaKeys)
  await page.goto(new URL('/files/album/', page.url()).href)
  await itemNamed(page, '1.wav').dblclick()
  const open = page.getByRole('main', { name: '1.wav' })
  await open.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await playing(page, '1.wav')
  const shown = () =>
    page.evaluate(() => {
      const { metadata, playbackState } = navigator.mediaSession
      return { title: metadata?.title, album: metadata?.album, playbackState }
    })
  const press = (action: string, details = {}) =>
    page.evaluate(
      ([action, details]) => {
        const { mediaKeys } = globalThis as unknown as {
          mediaKeys: Record<string, ((details: object) => void) | null>
        }
        mediaKeys[action]?.({ action, ...details })
      },
      [action, details] as const,
    )
  const button = (name: string) => player(page).getByRole('button', { name, exact: true }).waitFor()
  await button('Pause')
  t.same(await shown(), { title: '1.wav', album: 'album', playbackState: 'playing' })
  await press('pause')
  await button('Play')
  await press('pause')
  t.match(await shown(), { playbackState: 'paused' }, 'pressing it again does not play')
  await press('play')
  await button('Pause')
  await press('seekto', { seekTime: 30 })
  await press('seekforward', { seekOffset: 5 })
  const position = player(page).getByRole('slider', { name: 'Position' })
  t.match(await position.getAttribute('aria-valuetext'), /^0:3[5-9] of 1:00$/)
  await press('seekbackward')
  t.match(await position.getAttribute('aria-valuetext'), /^0:2[5-9] of 1:00$/)
  await press('nexttrack')
  await playing(page, '2.wav')
  t.match(await shown(), { title: '2.wav' })
  await press('previoustrack')
  await playing(page, '1.wav')
  await player(page).getByRole('button', { name: 'Close the player' }).click()
  await player(page).waitFor({ state: 'detached' })
  t.same(await shown(), { title: undefined, album: undefined, playbackState: 'none' })
})

t.test('the queue shows what comes next, goes there, and takes more tracks', async (t) => {
  const tree = { '1.wav': silence(60), '2.wav': silence(60), '3.wav': silence(60), '4.txt': '' }
  const { page } = await start(t, tree)
  await chooseInMenu(page, ['1.wav', '3.wav'], 'Play')
  await playing(page, '1.wav')
  await page.getByRole('grid').press('Escape')
  await chooseInMenu(page, ['2.wav'], 'Add to the queue')
  await noticed(page, '2.wav')
  await player(page).getByRole('button', { name: 'Queue' }).click()
  const lines = page.getByRole('menu', { name: 'Queue' }).getByRole('menuitem')
  await lines.nth(2).waitFor()
  t.same(await lines.allTextContents(), ['1.wav', '3.wav', '2.wav'])
  t.same(await violations(page, '[data-part=menu]'), [])
  await lines.nth(2).click()
  await playing(page, '2.wav')
})

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
