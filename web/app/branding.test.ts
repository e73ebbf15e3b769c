import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, openPage, serve, start } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 16"><rect width="64" height="16"/></svg>'

t.test('an instance has its own name, logo, colours and style', async (t) => {
  const { page, address, root } = await start(t, { 'notes.txt': 'x' }, { path: '/settings/global' })
  const folder = path.join(path.dirname(root), 'brand')
  mkdirSync(path.join(folder, 'img'), { recursive: true })
  writeFileSync(path.join(folder, 'img/logo.svg'), logo)
  writeFileSync(path.join(folder, 'custom.css'), ':root { --accent: rgb(1, 2, 3) }')
  await page.getByLabel('Instance name').fill('The <chest> & "co"')
  await page.getByLabel('Theme').selectOption('dark')
  await page.getByLabel('Color of the browser bar').fill('rebeccapurple')
  await page.getByLabel('Branding directory path').fill(`${folder}/nowhere`)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alert').getByText('branding.files: is not a folder').waitFor()
  await page.getByLabel('Branding directory path').fill(folder)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  t.equal(
    await page.evaluate(() => document.documentElement.dataset.theme),
    'dark',
    'the theme is applied at once',
  )
  await page.getByRole('link', { name: 'Profile settings' }).click()
  await page.getByRole('complementary').getByText('The <chest> & "co"').waitFor()
  t.equal(await page.title(), 'Profile settings – The <chest> & "co"')

  const visitor = await openPage(t)
  await visitor.goto(`${address}/login`)
  await visitor.getByRole('heading', { name: 'The <chest> & "co"' }).waitFor()
  const mark = visitor.locator('[data-part=logo]')
  t.equal(await mark.getAttribute('src'), '/static/img/logo.svg')
  t.same(
    await mark.evaluate((one: HTMLImageElement) => one.decode().then(() => [one.width, one.height])),
    [144, 44],
  )
  const look = await visitor.evaluate(() => ({
    accent: getComputedStyle(document.documentElement).getPropertyValue('--accent'),
    last: [...document.styleSheets].at(-1)?.href,
    theme: document.documentElement.dataset.theme,
    color: document.querySelector<HTMLMetaElement>('meta[name=theme-color]')?.content,
  }))
  t.same(look, {
    accent: 'rgb(1, 2, 3)',
    last: `${address}/static/custom.css`,
    theme: 'dark',
    color: 'rebeccapurple',
  })
})

t.test('the page can be installed as an app', async (t) => {
  const address = await serve(t, t.testdir({}), ['--baseurl', '/sub/path'])
  const page = await openPage(t)
  await page.goto(`${address}/login`)
  const client = await page.context().newCDPSession(page)
  const { url, errors, data } = await client.send('Page.getAppManifest')
  t.equal(url, `${address}/static/manifest.webmanifest`)
  t.same(errors, [])
  const manifest = JSON.parse(data ?? '') as {
    name: string
    start_url: string
    icons: { src: string; sizes: string }[]
  }
  t.match(manifest, { name: 'Coffer', start_url: '/sub/path/' })
  for (const { src, sizes } of manifest.icons) {
    const drawn = await page.evaluate(async (src) => {
      const image = new Image()
      image.src = src
      await image.decode()
      return `${image.naturalWidth}x${image.naturalHeight}`
    }, src)
    if (sizes !== 'any') t.equal(drawn, sizes, src)
  }
  const { installabilityErrors } = await client.send('Page.getInstallabilityErrors')
  t.same(
    installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
    [],
  )
})
