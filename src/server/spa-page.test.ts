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
  body: () => body,
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

async function startSite(t: Test, config = {}) {
  const started = await start(t, { assets, config })
  const get = (url: string, headers = {}) => started.call('GET', url, { headers })
  const settings = async (url = '/'): Promise<PageSettings> =>
    JSON.parse(/application\/json">(.*)<\/script>/s.exec((await get(url)).body)?.[1] ?? '')
  return { ...started, get, settings }
}

t.test('serves robots.txt for crawlers, and the icon at the default URL of browsers', async (t) => {
  const { get } = await startSite(t)
  t.match(await get('/robots.txt'), {
    statusCode: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'User-agent: *\nDisallow: /\n',
  })
  const icon = await get('/favicon.ico')
  t.match(icon, { statusCode: 200, headers: { 'content-type': 'image/svg+xml' }, body: '<svg>icon</svg>' })
})

t.test(
  'every URL that is not an endpoint returns the page, with a strict policy and without caching',
  async (t) => {
    const { get } = await startSite(t)
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
  },
)

t.test('the page contains its settings as data', async (t) => {
  const { settings, document } = await startSite(t)
  const actual = await settings()
  const shape = Compile(Shape)
  t.ok(shape.Check(actual), JSON.stringify([...shape.Errors(actual)][0]))
  t.match(actual, {
    Name: '',
    BaseURL: '',
    StaticURL: '/static',
    Signup: false,
    LoginPage: true,
    AuthMethod: 'json',
  })
  await document.update((draft) => {
    draft.settings.signup = true
    draft.settings.branding.theme = 'dark'
  })
  t.match(await settings(), { Signup: true, Theme: 'dark' }, 'the current settings')
})

t.test('the name of the instance is escaped in the page', async (t) => {
  const { get, settings, document } = await startSite(t)
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
    await document.update((draft) => {
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

t.test('HEAD of the page and of its files returns the same headers without a body', async (t) => {
  const { call } = await startSite(t)
  for (const url of ['/', '/static/main-ABCDEFGH.js']) {
    const [head, got] = [await call('HEAD', url), await call('GET', url)]
    t.match(head, { statusCode: 200, body: '' }, url)
    for (const name of ['content-type', 'etag', 'cache-control', 'content-length']) {
      t.equal(head.headers[name], got.headers[name], `${url} ${name}`)
    }
  }
})

t.test('serves files of the page in the best content coding that the browser accepts', async (t) => {
  const { app } = await startSite(t)
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

t.test('the page itself is compressed for browsers that accept it', async (t) => {
  const { call } = await startSite(t)
  const get = async (coding: string) => call('GET', '/files/', { headers: { 'accept-encoding': coding } })
  const plain = await get('')
  t.equal(plain.headers['content-encoding'], undefined)
  t.match(plain.headers.vary, /accept-encoding/i)
  for (const [coding, decode] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const) {
    const reply = await get(coding)
    t.equal(reply.headers['content-encoding'], coding)
    t.equal(decode(reply.rawPayload).toString(), plain.body)
  }
})

t.test('decoding a file of the page gives its content', async (t) => {
  const { call } = await startSite(t)
  const get = async (coding: string) =>
    (await call('GET', '/static/main-ABCDEFGH.js', { headers: { 'accept-encoding': coding } })).rawPayload
  t.strictSame(await get(''), script)
  t.strictSame(gunzipSync(await get('gzip')), script)
  t.strictSame(brotliDecompressSync(await get('br')), script)
})

t.test('returns 304 to a browser that has the file, also for a weak etag of a proxy', async (t) => {
  const { get } = await startSite(t)
  const { etag } = (await get('/static/logo.svg')).headers
  for (const known of [`${etag}`, `W/${etag}`, `"x", ${etag}`, '*']) {
    t.equal((await get('/static/logo.svg', { 'if-none-match': known })).statusCode, 304, known)
  }
  t.equal((await get('/static/logo.svg', { 'if-none-match': '"x"' })).statusCode, 200)
  t.equal(
    (await get('/static/logo.svg')).headers['cache-control'],
    'public, no-cache',
    'revalidated on each request',
  )
})

t.test('an unknown file of the page returns 404, never the page and never a file of the host', async (t) => {
  const { app } = await startSite(t)
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

t.test('rejects methods that write to the page or its files', async (t) => {
  const { call } = await startSite(t)
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
    for (const url of ['/', '/files/', '/static/logo.svg']) {
      const { statusCode, body } = await call(method, url)
      t.ok([404, 405].includes(statusCode), `${method} ${url}: ${statusCode}`)
      t.notMatch(body, /<html/)
    }
  }
})

t.test('everything works with a base path, whether a proxy strips it or not', async (t) => {
  const { app, login, settings } = await startSite(t, { baseUrl: '/sub/path' })
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
