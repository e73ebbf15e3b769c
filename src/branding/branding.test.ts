import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import type { Asset, Assets } from '#src/server/assets.ts'
import { start } from '#src/testing/start.ts'
import { dial, listen } from '#src/testing/wire.ts'

const builtIn: Asset = {
  body: () => Buffer.from('<svg/>'),
  type: 'image/svg+xml',
  etag: '"own"',
  immutable: false,
}
const assets: Assets = {
  page: '<html><head><link href="%STATIC%/main.css"></head><script type="application/json">%SETTINGS%</script></html>',
  find: (name) => (['icon.svg', 'img/logo.svg', 'img/kept.svg'].includes(name) ? builtIn : undefined),
}

async function branded(t: Test, baseUrl = '') {
  const started = await start(t, { assets, config: { baseUrl } })
  const folder = join(started.base, 'brand')
  const admin = await started.as('admin')
  const use = (files: string) => admin('PUT', '/api/settings', { payload: { branding: { files } } })
  const put = (name: string, content = name) => writeFileSync(join(folder, name), content)
  mkdirSync(join(folder, 'img/icons'), { recursive: true })
  const get = (path: string, headers = {}) => started.call('GET', `${baseUrl}${path}`, { headers })
  return { ...started, folder, use, put, get }
}

t.test('images in the branding folder replace the built-in images one by one', async (t) => {
  const { folder, use, put, get } = await branded(t)
  put('img/logo.svg', '<svg>ours</svg>')
  put('img/icons/a b#.png', 'PNG')
  t.match(await get('/static/img/logo.svg'), { statusCode: 200, body: '<svg/>' })
  t.equal((await use(folder)).statusCode, 200)
  const logo = await get('/static/img/logo.svg')
  t.match(logo, { statusCode: 200, body: '<svg>ours</svg>', headers: { 'content-type': 'image/svg+xml' } })
  t.match(
    logo.headers['content-security-policy'],
    /default-src 'none'; style-src 'unsafe-inline';.*sandbox/,
    'an SVG image can use styles but no scripts',
  )
  t.match(await get('/static/img/icons/a%20b%23.png'), {
    body: 'PNG',
    headers: { 'content-type': 'image/png' },
  })
  t.equal((await get('/static/img/kept.svg')).body, '<svg/>', 'other built-in images stay')
  t.equal((await get('/static/icon.svg')).body, '<svg>ours</svg>', 'the tab icon is the logo')
  put('img/icons/favicon.svg', '<svg>tab</svg>')
  t.equal((await get('/static/icon.svg')).body, '<svg>tab</svg>', 'the tab icon is the favicon')
  const again = await get('/static/img/logo.svg', { 'if-none-match': logo.headers.etag })
  t.match(again, { statusCode: 304, body: '' })
  await use('')
  t.equal((await get('/static/img/logo.svg')).body, '<svg/>')
})

t.test('custom.css is served and linked last on the page as soon as it exists', async (t) => {
  const { folder, use, put, get } = await branded(t, '/sub/path')
  t.equal((await get('/static/custom.css')).statusCode, 404)
  await use(folder)
  t.equal((await get('/static/custom.css')).statusCode, 404)
  t.match((await get('/login')).body, /"CSS":false/)
  put('custom.css', 'body{}')
  t.match(await get('/static/custom.css'), { body: 'body{}', headers: { 'content-type': /^text\/css/ } })
  const { body } = await get('/login')
  t.match(body, /"CSS":true/)
  t.match(body, /main\.css">.*<link rel="stylesheet" href="\/sub\/path\/static\/custom\.css">\s*<\/head>/s)
  rmSync(join(folder, 'custom.css'))
  t.notMatch((await get('/login')).body, /custom\.css/)
})

t.test('serves no other files of the branding folder and nothing outside it', async (t) => {
  const { app, base, root, folder, use, put, get } = await branded(t)
  writeFileSync(join(base, 'secret.png'), 'CANARY')
  mkdirSync(join(base, 'img'))
  writeFileSync(join(base, 'img/outside.png'), 'CANARY')
  writeFileSync(join(root, 'file.png'), 'CANARY')
  put('notes.txt', 'CANARY')
  put('top.png', 'CANARY')
  put('img/notes.txt', 'CANARY')
  put('img/page.html', 'CANARY')
  put('img/script.js', 'CANARY')
  put('img/.env', 'CANARY')
  symlinkSync('../../secret.png', join(folder, 'img/link.png'))
  symlinkSync(base, join(folder, 'img/up'))
  symlinkSync('../notes.txt', join(folder, 'img/inside.png'))
  symlinkSync('../secret.png', join(folder, 'custom.css'))
  await use(folder)
  for (const path of [
    'notes.txt',
    'top.png',
    'img/notes.txt',
    'img/page.html',
    'img/script.js',
    'img/.env',
    'img/link.png',
    'img/inside.png',
    'img/up/secret.png',
    'img/up/root/file.png',
    'img/..%2f..%2fsecret.png',
    'img/..%5c..%5csecret.png',
    'img',
    'img/',
    'img/icons',
    'img/icons/',
    'custom.css',
    'custom.css/',
    'img/%00.png',
    `img/${'x'.repeat(5000)}.png`,
  ]) {
    const reply = await get(`/static/${path}`)
    t.equal(reply.statusCode, 404, `${path}: ${reply.statusCode}`)
    t.notMatch(reply.body, /CANARY|notes|icons/, path)
  }
  t.match((await get('/')).body, /"CSS":false/, 'a style sheet that links to the outside is ignored')
  const port = await listen(app)
  // Sent over a socket, because HTTP clients resolve dot segments themselves.
  for (const path of [
    'img/../../img/outside.png',
    'img/%2e%2e/%2e%2e/secret.png',
    'img//../../secret.png',
    'img/%zz.png',
  ]) {
    const { socket, closed } = await dial(t, port)
    socket.write(`GET /static/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    t.match(await closed(), /^HTTP\/1\.1 40[04] /, path)
  }
})

t.test('ignores branding files that are too large', async (t) => {
  const { folder, use, put, get } = await branded(t)
  put('custom.css', ' '.repeat(5 * 1024 * 1024 + 1))
  put('img/empty.png', '')
  await use(folder)
  t.equal((await get('/static/custom.css')).statusCode, 404)
  t.match((await get('/')).body, /"CSS":false/)
  t.match(await get('/static/img/empty.png'), { statusCode: 200, body: '' })
})

t.test('the branding folder may be a relative path and may disappear', async (t) => {
  const { folder, use, put, get } = await branded(t)
  put('custom.css', 'body{}')
  t.equal((await use(relative(process.cwd(), folder))).statusCode, 200)
  t.equal((await get('/static/custom.css')).statusCode, 200)
  rmSync(folder, { recursive: true })
  t.equal((await get('/static/custom.css')).statusCode, 404)
  t.equal((await get('/static/icon.svg')).body, '<svg/>')
  t.match(await get('/'), { statusCode: 200, body: /"CSS":false/ })
})

t.test('the web manifest has the name and icons of the instance', async (t) => {
  const { folder, use, put, get, as } = await branded(t, '/sub/path')
  const builtIn = await get('/static/manifest.webmanifest')
  t.match(builtIn, {
    statusCode: 200,
    headers: { 'content-type': /^application\/manifest\+json/, 'cache-control': 'public, no-cache' },
  })
  t.match(builtIn.json(), {
    name: 'Coffer',
    short_name: 'Coffer',
    id: '/sub/path/',
    start_url: '/sub/path/',
    scope: '/sub/path/',
    display: 'standalone',
  })
  const sizes = (reply: typeof builtIn) => reply.json().icons.map(({ sizes }: { sizes: string }) => sizes)
  t.strictSame(sizes(builtIn), ['any', '192x192', '512x512', '512x512'])
  t.match(builtIn.json().icons.at(-1), {
    purpose: 'maskable',
    src: '/sub/path/static/img/icons/maskable-512x512.png',
  })

  const admin = await as('admin')
  const payload = { branding: { name: 'Our "files"', color: '#123456', theme: 'dark' } }
  t.equal((await admin('PUT', '/api/settings', { payload })).statusCode, 200)
  put('img/logo.svg', '<svg/>')
  put('img/icons/android-chrome-256x256.png')
  await use(folder)
  const theirs = (await get('/static/manifest.webmanifest')).json()
  t.match(theirs, { name: 'Our "files"', theme_color: '#123456', background_color: '#111314' })
  t.strictSame(theirs.icons, [
    { src: '/sub/path/static/icon.svg', sizes: 'any', type: 'image/svg+xml' },
    { src: '/sub/path/static/img/icons/android-chrome-256x256.png', sizes: '256x256', type: 'image/png' },
  ])
})

t.test(
  'the page settings show whether a logo exists, and the theme colour follows the branding',
  async (t) => {
    const { folder, use, put, get, as } = await branded(t)
    t.match((await get('/')).body, /"Logo":false/)
    put('img/logo.svg', '<svg/>')
    await use(folder)
    t.match((await get('/')).body, /"Logo":true/)
    const metas = async () => (await get('/')).body.match(/<meta name="theme-color"[^>]*>/g)
    t.strictSame(await metas(), ['<meta name="theme-color" content="#f6f6f4">'], 'light by default')
    const admin = await as('admin')
    await admin('PUT', '/api/settings', { payload: { branding: { followDevice: true } } })
    t.strictSame(await metas(), [
      '<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f6f6f4">',
      '<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#111314">',
    ])
    await admin('PUT', '/api/settings', { payload: { branding: { theme: 'dark', followDevice: false } } })
    t.strictSame(await metas(), ['<meta name="theme-color" content="#111314">'])
    await admin('PUT', '/api/settings', { payload: { branding: { color: 'teal' } } })
    t.strictSame(await metas(), ['<meta name="theme-color" content="teal">'])
  },
)

t.test('finds branding icons under their alternative names', async (t) => {
  const { folder, use, put, get } = await branded(t)
  put('img/icons/favicon.ico', 'ICO')
  put('img/icons/android-chrome-192x192.png', 'PNG')
  await use(folder)
  t.match(await get('/static/icon.svg'), { body: 'ICO', headers: { 'content-type': /icon/ } })
  t.equal((await get('/static/img/icons/apple-touch-icon.png')).body, 'PNG')
})
