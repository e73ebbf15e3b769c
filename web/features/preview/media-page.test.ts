import t from 'tap'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/** A WAV file with one second of silence. Browsers play it under any file name. */
function silence(): Buffer {
  const wav = Buffer.alloc(44 + 8000, 128)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + 8000, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(8000, 28)
  wav.writeUInt16LE(1, 32)
  wav.writeUInt16LE(8, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(8000, 40)
  return wav
}

t.test('shows the subtitles of a video and turns on those in the user’s language', async (t) => {
  const { page } = await start(t, {
    'film.mp4': silence(),
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

t.test('keys and swipes turn to the next file, but a focused video keeps its keys', async (t) => {
  const files = {
    '1.mp4': silence(),
    '2.txt': 'a text is passed by',
    '3.bin': Buffer.alloc(10),
    '4.mp4': silence(),
  }
  const { page } = await start(t, files, { hasTouch: true, viewport: { width: 390, height: 800 } })
  await itemNamed(page, '1.mp4').dblclick()
  const shown = (name: string) => page.getByRole('main', { name }).waitFor()
  await shown('1.mp4')
  await page.getByText('1 of 3').waitFor()
  await page.locator('video').focus()
  await page.keyboard.press('ArrowRight')
  await shown('1.mp4')
  await page.getByRole('main', { name: '1.mp4' }).focus()
  await page.keyboard.press('Enter')
  await shown('3.bin')
  await page.getByText('2 of 3').waitFor()
  const swipe = async (from: number, to: number) => {
    const client = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      client.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 650 }] })
    await touch('touchStart', from)
    await touch('touchMove', (from + to) / 2)
    await touch('touchMove', to)
    await touch('touchEnd')
  }
  await swipe(300, 100)
  await shown('4.mp4')
  await swipe(100, 300)
  await shown('3.bin')
  await page.keyboard.press('ArrowLeft')
  await shown('1.mp4')
})

t.test('a video can fill the whole screen', async (t) => {
  const { page } = await start(t, { 'a.mp4': silence() }, { path: '/files/a.mp4' })
  await page.getByRole('button', { name: 'Full screen', exact: true }).click()
  await page.waitForFunction(() => document.fullscreenElement !== null)
  await page.keyboard.press('f')
  await page.waitForFunction(() => document.fullscreenElement === null)
  await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor()
})
