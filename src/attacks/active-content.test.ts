import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import { isRefused, openTarget } from './fixture.ts'
import type { TestResponse } from './line.ts'

const target = await openTarget(t)
const { ask, row, settings, share, raw, root } = target
const alice = join(root, 'alice')

const script = '<script>document.title="broken"</script>'
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script></svg>`

/** Asserts that a browser runs nothing of a response in our origin and loads nothing for it. */
function isInert(t: Test, { request, headers }: TestResponse): void {
  const policy = String(headers['content-security-policy'])
  const fault =
    headers['x-content-type-options'] !== 'nosniff' ||
    !/(^|; )sandbox(;|$)/.test(policy) ||
    !policy.includes("default-src 'none'") ||
    /script-src|allow-scripts|allow-same-origin/.test(policy) ||
    /javascript|ecmascript|text\/css|wasm/.test(String(headers['content-type']))
  if (fault) t.fail(request, { headers })
}

/** Every way in which the content of a file reaches a browser. */
async function everyWay(name: string): Promise<TestResponse[]> {
  const path = `/${encodeURIComponent(name)}`
  const shareId = await share(path)
  return Promise.all([
    ask('alice', 'GET', `/api/raw${path}?inline=true`),
    ask('alice', 'GET', `/api/raw${path}`),
    ask('alice', 'GET', `/api/raw${path}?inline=true`, { headers: { range: 'bytes=0-9' } }),
    ask('alice', 'GET', `/api/raw${path}?inline=true`, { headers: { range: 'bytes=0-1,3-4' } }),
    ask('', 'GET', `/api/public/dl/${shareId}?inline=true`),
    ask('', 'GET', `/api/public/dl/${shareId}${path}`),
  ])
}

row(
  'H01 H14 H15 CVE-2023-39612 uploaded files run nothing and cannot be used as part of our page',
  async (t) => {
    const names = [
      'x.html',
      'x.htm',
      'x.xhtml',
      'x.xml',
      'x.xsl',
      'x.mht',
      'x.shtml',
      'x',
      'x.txt',
      'x.jpg',
      'x.pdf',
    ]
    const active = [
      'x.js',
      'x.mjs',
      'sw.js',
      'x.css',
      'x.wasm',
      'x.JS',
      'x.json',
      'x.webmanifest',
      'x.jpg.html',
    ]
    for (const name of [...names, ...active]) {
      writeFileSync(join(alice, name), script)
      for (const response of await everyWay(name)) isInert(t, response)
      const plain = await ask('alice', 'GET', `/api/raw/${name}`)
      t.match(plain.headers['content-disposition'], /^attachment; /)
    }
    const pages = names.slice(0, 7)
    for (const name of [
      ...pages,
      'X.HTML',
      'x.jpg.html',
      'x.rss',
      'x.atom',
      'x.xslt',
      'x.mathml',
      'x.eml',
      'x.rdf',
    ]) {
      writeFileSync(join(alice, name), script)
      for (const response of await everyWay(name)) {
        const isShown = /^inline/.test(String(response.headers['content-disposition']))
        const isPage = /html|xml|multipart\/related|rfc822/.test(
          `${response.headers['content-type']} ${response.text}`,
        )
        if (isShown && isPage) t.fail(response.request, { found: response.headers })
      }
    }
    for (const [name, type] of Object.entries({
      'x.png': 'image/png',
      'x.pdf': 'application/pdf',
      'x.mp4': 'video/mp4',
    })) {
      writeFileSync(join(alice, name), script)
      const shown = await ask('alice', 'GET', `/api/raw/${name}?inline=true`)
      t.equal(shown.headers['content-type'], type)
    }
  },
)

row('H02 CVE-2021-37794 an SVG runs no script', async (t) => {
  for (const name of ['x.svg', 'x.svgz', 'X.SVG']) {
    writeFileSync(join(alice, name), drawing)
    for (const response of await everyWay(name)) isInert(t, response)
    isRefused(t, await ask('alice', 'GET', `/api/preview/thumb/${name}`), [415])
  }
})

row(
  'H03 H04 H09 CVE-2026-34529 documents are sent as bytes that run nothing, wherever they are opened',
  async (t) => {
    const shareId = '<a href="javascript:document.title=1">x</a>[x](javascript:1)'
    for (const name of ['x.md', 'x.epub', 'x.docx', 'x.odt', 'x.pdf', 'x.opf', 'x.ncx']) {
      writeFileSync(join(alice, name), `${script}${shareId}`)
      for (const response of await everyWay(name)) {
        isInert(t, response)
        t.notMatch(response.headers['content-type'], /html/)
      }
    }
    // The page that renders a document loads nothing but its own files.
    const page = String((await ask('', 'GET', '/files/x.md')).headers['content-security-policy'])
    for (const part of ["script-src 'self'", "default-src 'none'", "base-uri 'none'", "form-action 'self'"])
      t.ok(page.split('; ').includes(part), part)
  },
)

row('H05 CVE-2026-34529 branding is inserted into the page as text, whatever it contains', async (t) => {
  const texts = [
    '</title><script>1</script>',
    "'};alert(1)//",
    '\u2028{{7*7}}',
    '<!--<script>',
    '{[{.}]}',
    '"><img src=x>',
  ]
  for (const name of texts) {
    await settings({ branding: { name } })
    const page = await ask('', 'GET', '/login')
    t.equal(page.text.match(/<script/g)?.length, 1, 'the only script element is the one with the settings')
    t.notMatch(page.text, /<img|<!--|<\/title><script>1/)
    const [, data = ''] = /<script type="application\/json">(.*?)<\/script>/s.exec(page.text) ?? []
    t.equal((JSON.parse(data) as { Name: string }).Name, name.trim())
  }
  for (const branding of [
    { color: 'red;}</style>' },
    { color: 'url(//evil.test)' },
    { theme: '"><script>' },
    { name: 'a\nb' },
  ]) {
    isRefused(t, await ask('admin', 'PUT', '/api/settings', { json: { branding } }), [400])
  }
  await settings({ branding: { name: '' } })
  writeFileSync(join(alice, '<img src=x onerror=alert(1)>.html'), script)
  const shareId = await share(`/${encodeURIComponent('<img src=x onerror=alert(1)>.html')}`)
  t.notMatch((await ask('', 'GET', `/share/${shareId}`)).text, /<img/)
})

row('H07 subtitles are sent as text without markup other than that of subtitles', async (t) => {
  const words = `${script}<img src=x onerror=y()><b onclick=z()>bold</b><img`
  const more = '\nsrc=x onerror=y()>\n'
  const files = {
    'x.srt': `1\n00:00:01,000 --> 00:00:02,000\n${words}${more}`,
    'x.vtt': `WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n${words}${more}`,
    'x.ass': `[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,${words}\\N>\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(alice, name), text)
    const response = await ask('alice', 'GET', `/api/subtitle/${name}?inline=true`)
    isInert(t, response)
    t.match(response.headers['content-type'], 'text/vtt')
    t.match(response.text, /^WEBVTT\n\n/)
    t.match(response.text, 'bold')
    t.strictSame(response.text.match(/<(?!\/?[biu]>)/g), null, `${name}: ${response.text}`)
  }
})

row('H08 CVE-2025-50183 text is sent as JSON and as plain text, never as HTML', async (t) => {
  for (const name of ['x.py', 'x.csv', 'x.json', 'x.log', 'x.txt', 'x.md']) {
    writeFileSync(join(alice, name), script)
    const response = await ask('alice', 'GET', `/api/resources/${name}`, { headers: { accept: 'text/html' } })
    t.match(response.headers['content-type'], /^application\/json/)
    t.equal(response.headers['x-content-type-options'], 'nosniff')
    for (const each of await everyWay(name)) t.notMatch(each.headers['content-type'], 'html')
  }
})

row('H11 CVE-2023-38501 no name and no parameter can inject a header', async (t) => {
  const names = [...hostileNames, 'a";b', 'a\u2028b', "a'b*c%0d", 'ü.txt']
  for (const name of names) {
    writeFileSync(join(alice, name), 'x')
    const [, response] = await everyWay(name)
    const disposition = String(response?.headers['content-disposition'])
    t.match(
      disposition,
      /^attachment; filename="[ !#$&-.0-[\]-~]*"; filename\*=utf-8''[\w.!#$&+^`|~%-]*$/,
      encodeURIComponent(name),
    )
    t.equal(decodeURIComponent(disposition.split("''")[1] ?? ''), name)
  }
  mkdirSync(join(alice, 'fold\ner"x'))
  const folder = await ask('alice', 'GET', '/api/raw/?files=docs-old,pub.txt&algo=tar')
  t.equal(folder.status, 200)
  for (const url of [
    '/?x=%0d%0aSet-Cookie:a=b',
    '/api/%0d%0aSet-Cookie:a=b',
    '/static/%0d%0aSet-Cookie:a=b',
  ]) {
    const response = await ask('', 'GET', url)
    t.notOk(response.headers['set-cookie'])
  }
  for (const path of ['a%0d%0ab', 'a%0ab', 'a%00b']) {
    isRefused(t, await ask('alice', 'POST', `/api/resources/${path}`, { body: 'x' }), [400])
  }
})

row('H12 CVE-2021-22963 no response redirects to another host', async (t) => {
  const urls = [
    '/login?redirect=//evil.test',
    '/login?redirect=https:evil.test',
    '/login?redirect=javascript:x()',
    '//evil.test/..',
    '//evil.test/%2e%2e',
    '/%5cevil.test',
    '/%2F%2Fevil.test',
    '/static//evil.test/..',
    '/files//evil.test',
    '/share',
    '/api/resources',
  ]
  for (const url of urls) {
    const response = await ask('', 'GET', url)
    t.notOk(response.headers.location, url)
    t.notMatch(response.status, /^3/)
  }
  t.notMatch(
    await raw(t, 'GET https://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n'),
    /^location:|evil/im,
  )
})

row(
  'H13 every response forbids framing, content sniffing, referrers and reading by other origins',
  async (t) => {
    const shareId = await share('/pub.txt')
    const urls = [
      '/',
      '/login',
      `/share/${shareId}`,
      '/api/settings',
      '/api/resources/',
      '/api/raw/pub.txt',
      '/static/none',
    ]
    for (const url of [...urls, `/api/public/dl/${shareId}`, '/health', '/api/none', '/api/raw/none']) {
      for (const origin of ['https://evil.test', 'null']) {
        const { headers } = await ask('alice', 'GET', url, { headers: { origin } })
        t.strictSame(
          Object.keys(headers).filter((name) => name.startsWith('access-control-')),
          [],
        )
        t.match(headers, {
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'x-frame-options': 'DENY',
          'permissions-policy': /camera=\(\), microphone=\(\), geolocation=\(\)/,
          'content-security-policy': /default-src 'none'/,
        })
        t.notMatch(headers['content-security-policy'], /unsafe-eval|script-src[^;]*(unsafe-inline|\*)/)
        const preflight = {
          origin,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'x-auth',
        }
        const asked = await ask('', 'OPTIONS', url, { headers: preflight })
        isRefused(t, asked, [404, 405])
        t.notOk(asked.headers['access-control-allow-origin'])
      }
    }
    const page = String((await ask('', 'GET', '/')).headers['content-security-policy'])
    t.match(page, /script-src 'self';/)
    t.match(page, /frame-ancestors 'none'/)
  },
)

row('H17 branding is read from its own folder only, and the folder gives no access to others', async (t) => {
  isRefused(t, await ask('alice', 'PUT', '/api/settings', { json: { branding: { files: '/etc' } } }), [403])
  const files = join(target.base, 'brand')
  mkdirSync(join(files, 'img'), { recursive: true })
  writeFileSync(join(files, 'custom.css'), '@import url(https://evil.test/x.css); a{color:red}')
  await settings({ branding: { files } })
  for (const path of [
    'img/..%2f..%2foutside%2fsecret.txt',
    '../outside/secret.txt',
    '..%2foutside/secret.txt',
    'img/%2e%2e/%2e%2e/outside/secret.txt',
  ]) {
    isRefused(t, await ask('', 'GET', `/static/${path}`), [400, 403, 404])
  }
  const style = await ask('', 'GET', '/static/custom.css')
  t.equal(style.status, 200)
  t.match((await ask('', 'GET', '/')).headers['content-security-policy'], /style-src 'self' 'sha256-[^;]*;/)
  await settings({ branding: { files: '' } })
})
