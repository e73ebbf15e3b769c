import { createHash } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { Compile } from 'typebox/compile'
import type { PageSettings } from '#contract/system.ts'
import { PageSettings as Shape } from '#contract/system.ts'
import { start } from '#src/testing/start.ts'
import { exchange, listen } from '#src/testing/wire.ts'
import type { Asset, Assets } from './assets.ts'

const script = Buffer.from('console.log("hello")\n'.repeat(100))
const asset = (body: Buffer, more: Partial<Asset> = {}): Asset => ({
  body,
  type: 'text/javascript; charset=utf-8',
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  immutable: false,
  ...more,
})
const files: Record<string, Asset> = {
  'main-ABCDEFGH.js': asset(script, {
    gzip: gzipSync(script),
    brotli: brotliCompressSync(script),
    immutable: true,
  }),
  'icon.svg': asset(Buffer.from('<svg>icon</svg>'), { type: 'image/svg+xml' }),
  'logo.svg': asset(Buffer.from('<svg/>'), { type: 'image/svg+xml' }),
}
const assets: Assets = {
  page: '<!doctype html><html data-theme="%THEME%"><title>%TITLE%</title><link href="%STATIC%/a.css"><script type="application/json">%SETTINGS%</script></html>',
  find: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
}

async function site(t: Test, config = {}) {
  const started = await start(t, { assets, config })
  const get = (url: string, headers = {}) => started.call('GET', url, { headers })
  const settings = async (url = '/'): Promise<PageSettings> =>
    JSON.parse(/application\/json">(.*)<\/script>/s.exec((await get(url)).body)?.[1] ?? '')
  return { ...started, get, settings }
}

t.test('Crawlers are asked to leave, and the icon answers at the address that browsers try', async (t) => {
  const { get } = await site(t)
  t.match(await get('/robots.txt'), {
    statusCode: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'User-agent: *\nDisallow: /\n',
  })
  const icon = await get('/favicon.ico')
  t.match(icon, { statusCode: 200, headers: { 'content-type': 'image/svg+xml' }, body: '<svg>icon</svg>' })
})

t.test('every address that is no call is the page, with strict rules and kept by nobody', async (t) => {
  const { get } = await site(t)
  for (const url of [
    '/',
    '/files/',
    '/files/a%20b/',
    '/login?redirect=/files',
    '/settings',
    '/x',
    '/healthy',
  ]) {
    const reply = await get(url)
    t.match(reply, {
      statusCode: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    })
    const policy = String(reply.headers['content-security-policy'])
    t.match(policy, /^default-src 'none'; script-src 'self';/)
    t.notMatch(policy, /unsafe|\*|https?:/)
    t.match(policy, /frame-ancestors 'none'/)
  }
})

t.test('the page carries its settings as data', async (t) => {
  const { settings, store } = await site(t)
  const said = await settings()
  const shape = Compile(Shape)
  t.ok(shape.Check(said), JSON.stringify([...shape.Errors(said)][0]))
  t.match(said, {
    Name: '',
    BaseURL: '',
    StaticURL: '/static',
    Signup: false,
    LoginPage: true,
    AuthMethod: 'json',
  })
  await store.change((draft) => {
    draft.settings.signup = true
    draft.settings.branding.theme = 'dark'
  })
  t.match(await settings(), { Signup: true, Theme: 'dark' }, 'as they are now')
})

t.test('whatever the instance is called, nothing breaks out of the page', async (t) => {
  const { get, settings, store } = await site(t)
  const names = [
    '</script><script>alert(1)</script>',
    '<!--<script>',
    '"\'&<>',
    '%SETTINGS%',
    '$& $1 $$',
    '\u2028\u2029',
    '</title><img src=x onerror=alert(1)>',
  ]
  for (const name of names) {
    await store.change((draft) => {
      draft.settings.branding.name = name
      draft.settings.branding.color = name
    })
    const { body } = await get('/')
    t.equal(body.split('<script').length, 2, name)
    t.equal(body.split('</script').length, 2, name)
    t.notMatch(body, /<!--|<img/)
    const { Name, Color } = await settings()
    t.strictSame([Name, Color], [name, name])
  }
})

t.test('HEAD of the page and of its files tells the same without the bytes', async (t) => {
  const { call } = await site(t)
  for (const url of ['/', '/static/main-ABCDEFGH.js']) {
    const [head, got] = [await call('HEAD', url), await call('GET', url)]
    t.match(head, { statusCode: 200, body: '' }, url)
    for (const name of ['content-type', 'etag', 'cache-control', 'content-length']) {
      t.equal(head.headers[name], got.headers[name], `${url} ${name}`)
    }
  }
})

t.test('files of the page come in the best coding that the browser takes', async (t) => {
  const { app } = await site(t)
  const port = await listen(app)
  const url = '/static/main-ABCDEFGH.js'
  const cases: [string, string | undefined][] = [
    ['br, gzip', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.0, gzip;q=0.000', undefined],
    ['BR', 'br'],
    ['identity', undefined],
    ['', undefined],
    ['brx', undefined],
    ['x-gzip', undefined],
  ]
  const tags = new Set()
  for (const [accepted, coding] of cases) {
    const call = (headers = {}) => exchange(port, 'GET', url, { headers })
    const reply = await call({ 'accept-encoding': accepted })
    t.equal(reply.headers['content-encoding'], coding, accepted)
    t.match(reply.headers, {
      vary: /accept-encoding/i,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    })
    tags.add(reply.headers.etag)
    const again = await call({ 'accept-encoding': accepted, 'if-none-match': reply.headers.etag })
    t.equal(again.status, 304)
    t.equal(again.body, '')
  }
  t.equal(tags.size, 3, 'each coding has its own etag')
})

t.test('what is decoded is the file', async (t) => {
  const { call } = await site(t)
  const get = async (coding: string) =>
    (await call('GET', '/static/main-ABCDEFGH.js', { headers: { 'accept-encoding': coding } })).rawPayload
  t.strictSame(await get(''), script)
  t.strictSame(gunzipSync(await get('gzip')), script)
  t.strictSame(brotliDecompressSync(await get('br')), script)
})

t.test('a browser that has a file is told so, however a proxy wrote its tag', async (t) => {
  const { get } = await site(t)
  const { etag } = (await get('/static/logo.svg')).headers
  for (const known of [`${etag}`, `W/${etag}`, `"x", ${etag}`, '*']) {
    t.equal((await get('/static/logo.svg', { 'if-none-match': known })).statusCode, 304, known)
  }
  t.equal((await get('/static/logo.svg', { 'if-none-match': '"x"' })).statusCode, 200)
  t.equal(
    (await get('/static/logo.svg')).headers['cache-control'],
    'public, no-cache',
    'asked for anew each time',
  )
})

t.test('an unknown file of the page is 404, never the page and never a file of the host', async (t) => {
  const { app } = await site(t)
  const port = await listen(app)
  for (const path of [
    '/static/',
    '/static/none.js',
    '/static/../package.json',
    '/static/%2e%2e/%2e%2e/package.json',
    '/static/..%2f..%2fpackage.json',
    '/static//logo.svg',
    '/static/./logo.svg',
    '/static/x/../logo.svg',
    '/static/logo.svg/',
    '/static/LOGO.svg',
    '/static/logo%2esvg',
    '/static/__proto__',
    '/static/constructor',
    '/static/index.html',
    '/static//etc/passwd',
  ]) {
    const reply = await exchange(port, 'GET', path)
    t.equal(reply.status, 404, path)
    t.match(reply.body, /^404 Not Found/, path)
  }
  t.not((await exchange(port, 'GET', '/STATIC/logo.svg')).headers['content-type'], 'image/svg+xml')
})

t.test('nothing is written to the page or its files', async (t) => {
  const { call } = await site(t)
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
    for (const url of ['/', '/files/', '/static/logo.svg']) {
      const { statusCode, body } = await call(method, url)
      t.ok([404, 405].includes(statusCode), `${method} ${url}: ${statusCode}`)
      t.notMatch(body, /<html/)
    }
  }
})

t.test('under a base path everything works, whether a proxy strips it or not', async (t) => {
  const { app, login, settings } = await site(t, { baseUrl: '/sub/path' })
  const port = await listen(app)
  const headers = { 'x-auth': await login('admin') }
  t.match(await settings('/sub/path/'), { BaseURL: '/sub/path', StaticURL: '/sub/path/static' })
  for (const base of [
    '',
    '/sub/path',
    'http://example.org',
    'http://example.org/sub/path',
    'HTTPS://x:1/sub/path',
  ]) {
    t.equal((await exchange(port, 'GET', `${base}/health`)).body, '{"status":"OK"}', base)
    t.equal((await exchange(port, 'GET', `${base}/static/logo.svg`)).body, '<svg/>', base)
    t.match(await exchange(port, 'GET', `${base}/files/`), { status: 200, body: /<html/ }, base)
    t.match(await exchange(port, 'GET', `${base}/api/resources/`, { headers }), { status: 200 }, base)
    const path = `${base}/api/resources/a%20b.txt`
    t.equal((await exchange(port, 'PUT', path, { headers, body: base })).status, 200, base)
    t.equal((await exchange(port, 'GET', `${base}/api/raw/a%20b.txt`, { headers })).body, base, base)
    t.equal((await exchange(port, 'GET', `${base}/api/nothing`)).status, 404, base)
    t.equal((await exchange(port, 'GET', `${base}/api/login`)).status, 405, base)
  }
  for (const path of ['/sub/path', '/sub/path?x=1', '/sub/pathx', '/sub/path2/api/users/1', '/sub']) {
    t.match(await exchange(port, 'GET', path, { headers }), { status: 200, body: /<html/ }, path)
  }
})
