import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { endFades } from '#web/testing/fades.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { silence } from '#web/testing/silence.ts'

t.teardown(closeBrowser)

t.test('shows the subtitles of a video and turns on those in the user’s language', async (t) => {
  const { page } = await start(t, {
    'film.mp4': silence(1),
    'film.de.srt': '1\n00:00:00,000 --> 00:00:01,000\nGuten Tag\n',
    'film.en.vtt': 'WEBVTT\n\n00:00.000 --> 00:01.000\nGood day\n',
    'other.en.vtt': 'WEBVTT\n',
  })
  const policyErrors: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) policyErrors.push(message.text())
  })
  await itemNamed(page, 'film.mp4').dblclick()
  await page.waitForFunction(() => (document.querySelector('video')?.textTracks[0]?.cues?.length ?? 0) > 0)
  const tracks = await page.evaluate(() =>
    [...(document.querySelector('video')?.textTracks ?? [])].map(({ label, language, mode, cues }) => ({
      label,
      language,
      mode,
      texts: [...(cues ?? [])].map((cue) => (cue as VTTCue).text),
    })),
  )
  t.match(tracks, [
    { label: 'English', language: 'en', mode: 'showing', texts: ['Good day'] },
    { label: 'German', language: 'de', mode: 'disabled' },
  ])
  t.equal(tracks.length, 2)
  t.same(policyErrors, [])
  t.same(await violations(page), [])
})

t.test('keys and swipes turn to the next file, but a focused video keeps its arrow keys', async (t) => {
  const files = {
    '1.mp4': silence(1),
    '2.txt': 'a text is passed by',
    '3.bin': Buffer.alloc(10),
    '4.mp4': silence(1),
  }
  const { page } = await start(t, files, { hasTouch: true, viewport: { width: 390, height: 800 } })
  await itemNamed(page, '1.mp4').dblclick()
  const shown = (name: string) => page.getByRole('main', { name }).waitFor()
  await shown('1.mp4')
  await page.getByText('1 of 3').waitFor()
  // The video has the focus. Its arrow keys seek.
  await page.waitForFunction(() => document.activeElement?.localName === 'video')
  await page.keyboard.press('ArrowRight')
  await shown('1.mp4')
  await page.keyboard.press('Enter')
  await shown('3.bin')
  await page.keyboard.press('PageUp')
  await shown('1.mp4')
  await page.keyboard.press('PageDown')
  await shown('3.bin')
  await page.getByText('2 of 3').waitFor()
  const swipe = async (from: number, to: number) => {
    const client = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      client.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 400 }] })
    await touch('touchStart', from)
    await touch('touchMove', (from + to) / 2)
    await touch('touchMove', to)
    await touch('touchEnd')
  }
  const swipeTo = async (name: string, from: number, to: number) => {
    // Chromium cancels a touch when a busy machine answers late. Then the user swipes again.
    while (!page.url().endsWith(name)) {
      await swipe(from, to)
      await page.waitForURL(`**/${name}`, { timeout: 3000 }).catch(() => undefined)
    }
    await shown(name)
  }
  await swipeTo('4.mp4', 300, 100)
  await swipeTo('3.bin', 100, 300)
  await page.keyboard.press('ArrowLeft')
  await shown('1.mp4')
})

t.test('a swipe down closes a video', async (t) => {
  const phone = { hasTouch: true, viewport: { width: 390, height: 800 }, isMobile: true } as const
  const { page } = await start(t, { 'a.mp4': silence(60) }, phone)
  await itemNamed(page, 'a.mp4').tap()
  await page.waitForFunction(() => document.activeElement?.localName === 'video')
  await endFades(page)
  // Waits until the page is drawn. Before that, the browser moves the list below, which it has drawn last.
  await page.screenshot()
  const client = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 200, y }] })
  await touch('touchStart', 200)
  for (const y of [260, 320, 380, 440]) await touch('touchMove', y)
  await touch('touchEnd')
  await page.getByRole('grid', { name: 'Files' }).and(page.locator(':focus')).waitFor()
  t.match(page.url(), /\/files\/$/)
})

t.test('a video can fill the whole screen', async (t) => {
  const { page } = await start(t, { 'a.mp4': silence(1) }, { path: '/files/a.mp4' })
  await page.getByRole('button', { name: 'Full screen', exact: true }).click()
  await page.waitForFunction(() => document.fullscreenElement !== null)
  await page.keyboard.press('f')
  await page.waitForFunction(() => document.fullscreenElement === null)
  await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor()
})

t.test('the keys of a video work as soon as it is open', async (t) => {
  const { page } = await start(t, { 'a.mp4': silence(60) })
  await itemNamed(page, 'a.mp4').dblclick()
  await page.waitForFunction(() => document.activeElement?.localName === 'video')
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0)
  await page.keyboard.press('Space')
  await page.waitForFunction(() => document.querySelector('video')?.paused)
  await page.keyboard.press('ArrowRight')
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) >= 5)
  await page.keyboard.press('m')
  await page.waitForFunction(() => document.querySelector('video')?.muted)
  await page.keyboard.press('>')
  const speed = page.getByRole('combobox', { name: 'Speed' })
  await page.waitForFunction(() => document.querySelector('select')?.value === '1.25')
  await speed.selectOption('2')
  await page.waitForFunction(() => document.querySelector('video')?.playbackRate === 2)
})

/** Pauses the video and moves it to a position. */
async function seek(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 0)
  await page.evaluate((seconds) => {
    const video = document.querySelector('video')
    video?.pause()
    if (video) video.currentTime = seconds
    return new Promise((resolve) => video?.addEventListener('seeked', resolve, { once: true }))
  }, seconds)
}

t.test('a long video continues where it was left, until the user signs out', async (t) => {
  const { page } = await start(t, { 'a.mp4': silence(400, 3000) }, { path: '/files/a.mp4' })
  const stored = () => page.evaluate(() => localStorage.getItem('coffer.positions'))
  await seek(page, 125)
  await page.keyboard.press('Escape')
  await page.locator('video').waitFor({ state: 'detached' })
  t.same(JSON.parse((await stored()) ?? ''), [['/a.mp4', 125]])
  await itemNamed(page, 'a.mp4').dblclick()
  await page.getByText('Continues at 2:05').waitFor()
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 99) < 5)
  await seek(page, 130)
  await page.keyboard.press('Escape')
  await itemNamed(page, 'a.mp4').waitFor()
  t.same(JSON.parse((await stored()) ?? ''), [['/a.mp4', 130]])
  await chooseAccount(page, 'Sign out')
  await page.getByLabel('Username').waitFor()
  t.equal(await stored(), null)
})

t.test('a long video that was seen to its credits starts from the beginning', async (t) => {
  const { page } = await start(t, { 'a.mp4': silence(400, 3000) }, { path: '/files/a.mp4' })
  const close = async () => {
    await page.keyboard.press('Escape')
    await page.locator('video').waitFor({ state: 'detached' })
  }
  await seek(page, 200)
  await close()
  await itemNamed(page, 'a.mp4').dblclick()
  await page.getByText('Continues at 3:20').waitFor()
  await seek(page, 385)
  await close()
  t.equal(await page.evaluate(() => localStorage.getItem('coffer.positions')), null)
})
