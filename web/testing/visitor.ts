import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { encode } from 'uqr'
import { asPng, plain } from '#src/testing/pictures.ts'
import { downloadedBytes, openPage, openWithToken, serve } from './browser.ts'
import { createShare, type LinkOptions } from './link.ts'
import { silence } from './silence.ts'

const picture = (n = 0) => asPng(plain(300, 200, [n, 120, 200]))

/** The files of a user who shares some of them. */
export const sharedFiles = {
  'a b#?.txt': 'shared words',
  docs: {
    'x.png': picture(),
    'y z.txt': 'inside',
    'tone.wav': silence(1),
    deep: { 'end.bin': '123' },
  },
  gallery: {
    '1.png': picture(1),
    '2.txt': 'a text is passed by',
    '3.mp4': silence(1),
    '3.de.srt': '1\n00:00:00,000 --> 00:00:01,000\nGuten Tag\n',
    '4.png': picture(4),
    '5.bin': 'blob\0',
    'read me.md': '# Welcome\n\n[the folder](sub/) ![a picture](1.png)',
    sub: { 'in.txt': 'deeper' },
  },
  empty: {},
}

export interface Visit {
  password?: string
  /** The test changes settings, so it needs its own server. */
  isOwn?: boolean
  width?: number
  /** The visitor has an account and is signed in. */
  isSignedIn?: boolean
  /** The rights and conditions of the share. */
  link?: LinkOptions
}

/** Starts a server for the visitors of a test file, which may change shares only. Returns a function that opens a share. */
export function startVisits(t: Test) {
  const common = serve(t, t.testdir(sharedFiles))
  /** A user who shares `shared`, and a visitor who opens the share. */
  return async (t: Test, shared: string, options: Visit = {}) => {
    const address = options.isOwn ? await serve(t, t.testdir(sharedFiles)) : await common
    const { password, width = 1280, isSignedIn } = options
    const { hash, token } = await createShare(address, shared, { password, ...options.link })
    const page = await openPage(t, { viewport: { width, height: 800 } })
    await openWithToken(page, `${address}/share/${hash}`, isSignedIn ? token : undefined)
    return { page, address, hash, token }
  }
}

/** Presses a link that downloads. */
export async function saved(page: Page, link: string): Promise<{ name: string; bytes: Buffer }> {
  const pending = page.waitForEvent('download')
  await page.getByRole('link', { name: link }).click()
  const download = await pending
  return { name: download.suggestedFilename(), bytes: await downloadedBytes(download) }
}

/** Downloads the selection as an archive in the format. */
export async function savedChoice(page: Page, format: string): Promise<{ name: string; bytes: Buffer }> {
  await page
    .getByRole('toolbar', { name: 'Actions' })
    .getByRole('button', { name: /^Download/ })
    .click()
  const pending = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: format, exact: true }).click()
  const download = await pending
  return { name: download.suggestedFilename(), bytes: await downloadedBytes(download) }
}

/** Whether the page shows the QR code of `text`. */
export async function showsCode(page: Page, text: string): Promise<boolean> {
  const { data } = encode(text, { ecc: 'M', boostEcc: false, border: 2 })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  const code = page.getByRole('img', { name: 'QR code for the download' }).locator('path')
  return (await code.getAttribute('d')) === dots.join('')
}

/** The text in the read-only editor. */
export const textOf = (page: Page, name: string) => page.getByRole('textbox', { name })
