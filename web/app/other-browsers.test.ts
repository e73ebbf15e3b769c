import { readFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { hasFirefox, launchFirefox } from '#web/testing/firefox.ts'
import { createShare } from '#web/testing/link.ts'
import { createOtherPage, type OtherPage } from '#web/testing/other-page.ts'
import { emptyPdf } from '#web/testing/pdf.ts'
import { serve, testUser } from '#web/testing/serve.ts'
import { hasWebKit, launchWebKit } from '#web/testing/webkit.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)

const files = () => ({
  docs: { 'deep.txt': 'deep' },
  'a.png': pixel,
  'b.md': '# Heading\n\ntext',
  'c.pdf': emptyPdf(),
  'd.txt': 'text',
})

const browsers = [
  { name: 'firefox', isPresent: hasFirefox, launch: launchFirefox, hasPdfViewer: true },
  { name: 'webkit', isPresent: hasWebKit, launch: launchWebKit, hasPdfViewer: false },
]

const root = path.join(t.testdir({ root: { firefox: files(), webkit: files() } }), 'root')
const password = 'some other long passphrase'

/** Makes a user for each browser, because the steps change settings. */
async function createUser(address: string, username: string): Promise<void> {
  const call = (at: string, body: object, token = '') =>
    fetch(address + at, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  const login = await call('/api/login', { username: testUser.name, password: testUser.password })
  const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
  const data = { username, password, scope: '/', locale: 'en', perm }
  const body = { what: 'user', which: [], data, current_password: testUser.password }
  const made = await call('/api/users', body, await login.text())
  if (!made.ok) throw new Error(await made.text())
}

async function signIn({ goto, click, type, shown }: OtherPage, url: string, username: string): Promise<void> {
  await goto(url)
  await click('input', 'Username')
  await type(username)
  await click('input', 'Password')
  await type(password)
  await click('button', 'Sign in')
  await shown('[data-part=row] a', 'docs')
}

/** Opens a list by its address. Its tools appear, and no part of the page is missing. */
async function openList({ goto, until }: OtherPage, url: string): Promise<boolean> {
  await goto(url)
  const state = await until('the tools of the list', () => {
    if (document.querySelector('[data-part=lost]')) return 'lost'
    return document.querySelector('[role=toolbar] [data-tip]') ? 'whole' : undefined
  })
  return state === 'whole'
}

async function changeFiles(page: OtherPage, folder: string): Promise<string> {
  const { run, click, shown, press, type, gone } = page
  await run(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['sent'], 'new.txt'))
    const target = document.querySelector('[data-part=list]')
    // WebKit does not take the data of an event that a script makes, and cannot read its entries.
    const { types, files } = dataTransfer
    for (const type of ['dragover', 'drop']) {
      const event = new DragEvent(type, { bubbles: true, cancelable: true })
      const value = { types, files, items: [], dropEffect: 'none' }
      target?.dispatchEvent(Object.defineProperty(event, 'dataTransfer', { value }))
    }
  })
  await shown('[data-part=row] a', 'new.txt')
  await shown('[data-part=uploads] h2', '1 file uploaded')
  await click('[data-part=uploads] button', 'Close uploads')
  await click('[data-part=row] a', 'new.txt')
  await press('F2')
  await shown('[data-part=rename]')
  await type('renamed')
  await press('Enter')
  await shown('[data-part=row] a', 'renamed.txt')
  await press('Delete')
  await gone('[data-part=row] a[data-full="renamed.txt"]')
  await click('[data-part=notices] button', 'Undo')
  await shown('[data-part=row] a', 'renamed.txt')
  return readFile(path.join(folder, 'renamed.txt'), 'utf8')
}

async function editText({ goto, click, type, until }: OtherPage, url: string): Promise<void> {
  await goto(`${url}d.txt`)
  await until('the editor', () => {
    const hosts = [...document.querySelectorAll('[data-part=editor] [data-keys=own]')]
    return hosts.some((host) => (host.shadowRoot ?? host).querySelector('[role=textbox]'))
  })
  await click('[data-part=editor] [data-keys=own]')
  await type('more ')
  await until('unsaved changes', () =>
    Boolean(document.querySelector('[data-part=file] button[data-full=Save]:not([aria-disabled])')),
  )
  await click('[data-part=file] button', 'Save')
  await until('no unsaved changes', () =>
    Boolean(document.querySelector('[data-part=file] button[data-full=Save][aria-disabled]')),
  )
}

async function openViewers({ goto, until, shown }: OtherPage, url: string, hasPdfViewer: boolean) {
  await goto(`${url}a.png`)
  await until('the picture', () =>
    [...document.querySelectorAll<HTMLImageElement>('[data-part=file] img')].some(
      ({ complete, naturalWidth }) => complete && naturalWidth === 2,
    ),
  )
  await goto(`${url}b.md`)
  await shown('[data-part=file] section h2', 'Heading')
  await goto(`${url}c.pdf`)
  await shown(
    hasPdfViewer ? 'iframe[data-part=pdf]' : '[data-part=file] button',
    hasPdfViewer ? '' : 'Download',
  )
}

async function useSettings(page: OtherPage, address: string, url: string): Promise<string[]> {
  const { goto, choose, click, until } = page
  await goto(`${address}/settings/profile`)
  await choose('select:has(option[value=dark])', 'dark')
  await choose('select:has(option[value=ar])', 'ar')
  await click('[data-part=save-bar] [type=submit]')
  await until('the dark theme from right to left', () => {
    const { dir, dataset } = document.documentElement
    return dir === 'rtl' && dataset.theme === 'dark'
  })
  const box = () => {
    const { appearance, backgroundColor } = getComputedStyle(
      document.querySelector('input[type=checkbox]:not(:checked)') as Element,
    )
    return [appearance, backgroundColor]
  }
  const seen = await page.run(box)
  await openList(page, url)
  return seen
}

const isAbsent = !hasFirefox && !hasWebKit && 'neither is installed'

t.test('the page works in Firefox and in WebKit', { skip: isAbsent }, async (t) => {
  const address = await serve(t, root)
  const { hash } = await createShare(address, '/firefox/docs/', { password: 'open sesame' })
  for (const { name, isPresent, launch, hasPdfViewer } of browsers) {
    await t.test(name, { skip: !isPresent && 'not installed' }, async (t) => {
      await createUser(address, name)
      const driver = await launch()
      t.teardown(driver.close)
      const page = createOtherPage(driver)
      const url = `${address}/files/${name}/`
      await signIn(page, url, name)
      for (let n = 0; n < 3; n++)
        t.ok(await openList(page, url), 'a list that is opened by its address is whole')
      await page.click('button', 'Show as tiles')
      await page.shown('[data-part=card] a', 'a.png')
      await page.click('button', 'Show as list')
      await page.shown('[data-part=row] a', 'a.png')
      t.equal(await changeFiles(page, path.join(root, name)), 'sent')
      await page.press('/')
      await page.shown('[role=dialog] [role=combobox]')
      await page.type('deep')
      await page.shown('[role=dialog] [role=option]', 'deep.txt')
      await editText(page, url)
      t.match(await readFile(path.join(root, name, 'd.txt'), 'utf8'), 'more ')
      await openViewers(page, url, hasPdfViewer)
      t.same(await useSettings(page, address, url), ['none', 'rgb(23, 25, 27)'], 'boxes are dark')
      t.ok(await page.run(() => document.documentElement.scrollWidth === innerWidth), 'nothing is cut off')
      const desk = () => getComputedStyle(document.body).backgroundColor
      t.equal(await page.run(desk), 'rgb(17, 19, 20)')
      await page.goto(`${address}/share/${hash}`)
      await page.click('input[type=password]')
      await page.type('open sesame')
      await page.press('Enter')
      await page.shown('[data-part=row] a', 'deep.txt')
    })
  }
})
