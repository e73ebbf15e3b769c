import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isRefused, openTarget } from './fixture.ts'
import { zipEntries } from './unpack.ts'
import { canaries } from './world.ts'

const target = await openTarget(t)
const { ask, row, rules, share, manifest, raw } = target
const alice = join(target.root, 'alice')

const namesIn = (text: string) =>
  (JSON.parse(text) as { items: { name: string }[] }).items.map(({ name }) => name)

/** Every endpoint that reads at a path. */
const readers = [
  'resources',
  'resources/recursive',
  'raw',
  'preview/thumb',
  'preview/big',
  'subtitle',
  'usage',
  'search',
  'share',
].map((call) => `/api/${call}`)

/** Every endpoint that writes at a path. */
const writers = (path: string) =>
  [
    ['PUT', `/api/resources${path}`, 'x'],
    ['POST', `/api/resources${path}?override=true`, 'x'],
    ['DELETE', `/api/resources${path}`, ''],
    ['PATCH', `/api/resources${path}?action=copy&destination=/out.txt`, ''],
    ['PATCH', `/api/resources${path}?action=rename&destination=/out.txt`, ''],
  ] as const

/** The methods of a resumable upload. */
const pieces = ['POST', 'HEAD', 'GET', 'PATCH', 'DELETE'] as const
const piece = {
  'upload-length': '1',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
}

for (const owner of ['global', 'alice'] as const) {
  row(`A01 a rule (${owner}) applies to every spelling of the path`, async (t) => {
    await rules(owner, ['/docs/private'])
    const before = manifest('alice')
    const spellings = [
      '/docs/private',
      '//docs/private',
      '/docs//private',
      '///docs///private',
      '/./docs/private',
      '/docs/./private',
      '/x/../docs/private',
      '/docs/x/..//private',
      '/docs/%2e/private',
      '/docs%2fprivate',
      '/%64ocs/privat%65',
      '/../docs/private',
    ]
    for (const folder of spellings) {
      const path = `${folder}/secret.txt`
      const urls = [...readers.map((call) => call + path), ...readers.map((call) => call + folder)]
      for (const url of urls) isRefused(t, await ask('alice', 'GET', url))
      for (const [method, url, body] of writers(path)) isRefused(t, await ask('alice', method, url, { body }))
      isRefused(t, await ask('alice', 'POST', `/api/share${path}`, { json: {} }))
      for (const method of pieces) {
        isRefused(t, await ask('alice', method, `/api/tus${path}?override=true`, { headers: piece }))
      }
    }
    t.strictSame(manifest('alice'), before)
    t.equal((await ask('alice', 'GET', '/api/shares')).text, '[]')
  })
}

row(
  'A02 a rule applies to source and destination of copy and rename, however the destination is written',
  async (t) => {
    mkdirSync(join(alice, 'restricted'))
    writeFileSync(join(alice, 'restricted/secret.txt'), canaries.rule)
    await rules('alice', ['/restricted'])
    const before = manifest('alice')
    const destinations = [
      '%2Fok%2F..%2Frestricted%2Fnew.txt',
      'restricted/new.txt',
      '%252Frestricted%252Fnew.txt',
      '/restricted/./new.txt',
      '//restricted//new.txt',
      '/restricted',
      '/restricted/secret.txt&override=true',
      '/restricted/secret.txt&rename=true',
    ]
    for (const action of ['copy', 'rename']) {
      for (const destination of destinations) {
        isRefused(
          t,
          await ask('alice', 'PATCH', `/api/resources/pub.txt?action=${action}&destination=${destination}`),
          [403],
        )
      }
      const source = `/api/resources/ok/..%2frestricted/secret.txt?action=${action}&destination=/out.txt`
      isRefused(t, await ask('alice', 'PATCH', source), [403])
    }
    t.strictSame(manifest('alice'), before)
    for (const destination of ['/../../outside/new.txt', '%2F..%2F..%2Fbob%2Fnew.txt']) {
      const url = `/api/resources/pub.txt?action=copy&destination=${destination}`
      t.equal(
        (await ask('alice', 'PATCH', url)).status,
        200,
        "'..' in a destination stops at the top of the user's scope",
      )
    }
    const copies = manifest('alice').join('\n')
    t.match(copies, /alice\/outside\/new\.txt/)
    t.match(copies, /alice\/bob\/new\.txt/)
  },
)

row('A03 CVE-2026-35605 rules, shares, scopes and base paths match whole names only', async (t) => {
  for (const name of ['uploads', 'uploads_backup']) {
    mkdirSync(join(alice, name))
    writeFileSync(join(alice, name, 's.txt'), 'one')
  }
  writeFileSync(join(alice, 'uploads.bak'), 'two')
  await rules('alice', [
    { allow: false, path: '/' },
    { allow: true, path: '/uploads' },
  ])
  for (const path of ['/uploads_backup/s.txt', '/uploads.bak']) {
    isRefused(t, await ask('alice', 'GET', `/api/raw${path}`), [403])
  }
  t.equal((await ask('alice', 'GET', '/api/raw/uploads/s.txt')).text, 'one')
  await rules('alice', ['/uploads'])
  t.equal((await ask('alice', 'GET', '/api/raw/uploads_backup/s.txt')).text, 'one')
  await rules('alice', [])
  const shareId = await share('/docs')
  for (const rest of [
    `share/${shareId}/../docs-old`,
    `share/${shareId}/..%2fdocs-old`,
    `dl/${shareId}/../docs-old/x.txt`,
  ]) {
    isRefused(t, await ask('', 'GET', `/api/public/${rest}`))
  }
  isRefused(t, await ask('', 'GET', `/api/public/dl/${shareId}/?files=../docs-old/x.txt`))
  mkdirSync(join(target.root, 'alice-canary'))
  t.equal((await ask('alice', 'GET', '/api/search/?query=canary')).text.trim(), '[]')
})

t.test('A03 a base path matches whole names only', async (t) => {
  const below = await openTarget(t, { config: { baseUrl: '/fb' } })
  await below.row('A03 /fbapi is not the API below the base path /fb', async (t) => {
    for (const url of ['/fbapi/resources/', '/fbx/api/resources/', '/fb/../fbapi/settings']) {
      const response = await below.ask('alice', 'GET', url)
      // Every address that is not an API call returns the page.
      t.match(response.headers['content-type'], 'text/html', url)
      t.notMatch(response.text, /"items"|minimumPasswordLength/)
    }
    t.equal((await below.ask('alice', 'GET', '/fb/api/resources/')).status, 200)
    isRefused(t, await below.ask('', 'GET', '/fb/api/resources/'), [401])
  })
})

row(
  'A06 CVE-2026-73612 an operation on a tree is refused if a rule denies anything in the tree',
  async (t) => {
    mkdirSync(join(alice, 'src/secret'), { recursive: true })
    writeFileSync(join(alice, 'src/open.txt'), 'open')
    writeFileSync(join(alice, 'src/secret/s.txt'), canaries.rule)
    await rules('alice', ['/src/secret'])
    const before = manifest('alice')
    for (const action of ['copy', 'rename']) {
      isRefused(t, await ask('alice', 'PATCH', `/api/resources/src?action=${action}&destination=/dst`), [403])
    }
    isRefused(t, await ask('alice', 'DELETE', '/api/resources/src'), [403])
    await rules('alice', ['/dst/secret'])
    for (const action of ['copy', 'rename']) {
      isRefused(t, await ask('alice', 'PATCH', `/api/resources/src?action=${action}&destination=/dst`), [403])
    }
    t.strictSame(manifest('alice'), before)
    t.equal((await ask('alice', 'PATCH', '/api/resources/docs-old?action=copy&destination=/dst')).status, 200)
  },
)

row("A07 CVE-2026-54091 the owner's rules apply in a share, at the owner's paths", async (t) => {
  await rules('alice', ['/docs/private'])
  const shareId = await share('/docs')
  for (const rest of [
    'private',
    'private/',
    'private/secret.txt',
    '/private/secret.txt',
    './private/s.srt',
  ]) {
    for (const call of ['share', 'dl'])
      isRefused(t, await ask('', 'GET', `/api/public/${call}/${shareId}/${rest}`))
  }
  isRefused(t, await ask('', 'GET', `/api/public/dl/${shareId}/?files=private`))
  isRefused(t, await ask('', 'GET', `/api/public/dl/${shareId}/?files=private%2Fsecret.txt,private`))
  t.notOk(namesIn((await ask('', 'GET', `/api/public/share/${shareId}/`)).text).includes('private'))
  const zip = await ask('', 'GET', `/api/public/dl/${shareId}/?algo=zip`)
  t.notOk(zipEntries(zip.body).some(({ name }) => name.includes('private')))
  t.ok(zipEntries(zip.body).some(({ name }) => name.includes('public.txt')))
  writeFileSync(join(alice, 'docs/private/secret.txt'), 'not secret')
  await rules('alice', ['/private'])
  t.equal((await ask('', 'GET', `/api/public/dl/${shareId}/private/secret.txt`)).text, 'not secret')
})

row('A08 the recursive listing checks rules for the folder that it starts with', async (t) => {
  await rules('alice', ['/docs/private'])
  isRefused(t, await ask('alice', 'GET', '/api/resources/recursive/docs/private'))
  t.notMatch((await ask('alice', 'GET', '/api/resources/recursive/docs')).text, /private|secret/)
  mkdirSync(join(alice, 'recursive'))
  writeFileSync(join(alice, 'recursive/mine.txt'), 'mine')
  t.strictSame(namesIn((await ask('alice', 'GET', '/api/resources/recursive')).text), ['mine.txt'])
})

row('A09 subtitles that a rule denies are not listed', async (t) => {
  writeFileSync(join(alice, 'movie.private.srt'), canaries.rule)
  writeFileSync(join(alice, 'movie.en.srt'), 'hello')
  t.match(JSON.parse((await ask('alice', 'GET', '/api/resources/movie.mkv')).text).subtitles, { length: 3 })
  await rules('alice', ['/Subs', '/movie.private.srt'])
  const { text } = await ask('alice', 'GET', '/api/resources/movie.mkv')
  t.strictSame(JSON.parse(text).subtitles, ['/movie.en.srt'])
  const shareId = await share('/')
  const seen = (await ask('', 'GET', `/api/public/share/${shareId}/movie.mkv`)).text
  t.notMatch(seen, /private|Subs/)
})

row('A11 hidden dotfiles are not listed anywhere and cannot be read at any address', async (t) => {
  const id = target.idOf('alice')
  const hide = (hideDotfiles: boolean) =>
    ask('alice', 'PUT', `/api/users/${id}`, {
      json: { what: 'user', which: ['hideDotfiles'], data: { id, hideDotfiles } },
    })
  t.equal((await hide(true)).status, 200)
  await rules('alice', ['/docs/private'])
  mkdirSync(join(alice, 'docs/.git'))
  writeFileSync(join(alice, 'docs/.git/config'), 'hidden')
  const shareId = await share('/docs')
  const urls = [
    '/api/resources/',
    '/api/resources/docs',
    '/api/resources/recursive/',
    '/api/search/?query=conf',
    '/api/raw/?algo=zip',
    '/api/raw/docs?algo=tar',
  ]
  for (const url of urls) {
    t.notMatch((await ask('alice', 'GET', url)).body.toString('latin1'), /\.hidden|\.git|conf/, url)
  }
  for (const url of [`share/${shareId}/`, `dl/${shareId}/?algo=zip`]) {
    t.notMatch((await ask('', 'GET', `/api/public/${url}`)).body.toString('latin1'), /\.git/, url)
  }
  for (const call of ['resources', 'raw', 'resources/recursive', 'search', 'share', 'usage']) {
    for (const path of ['.hidden', '.hidden/conf', 'docs/.git/config', 'docs/.nothing']) {
      isRefused(t, await ask('alice', 'GET', `/api/${call}/${path}`), [403])
    }
  }
  isRefused(t, await ask('', 'GET', `/api/public/dl/${shareId}/.git/config`), [403])
  // Every user may change `hideDotfiles` for themselves. To forbid reading, a rule is needed.
  t.equal((await hide(false)).status, 200)
  t.equal((await ask('alice', 'GET', '/api/raw/.hidden/conf')).text, 'hidden')
})

row('A12 a rule that cannot match anything is refused when it is saved', async (t) => {
  const patterns = [{ raw: '(' }, { raw: '' }, { raw: '(?=x)' }, null]
  for (const regexp of patterns) {
    const rule = { allow: false, regex: true, path: '', regexp }
    const saved = [
      await ask('admin', 'PUT', '/api/settings', { json: { rules: [rule] } }),
      await ask('admin', 'PUT', '/api/users/2', {
        json: { what: 'user', which: ['rules'], data: { id: 2, rules: [rule] } },
      }),
    ]
    for (const response of saved) isRefused(t, response, [400])
  }
  t.strictSame(target.document.data.settings.rules, [])
  // If path and pattern are both given, the pattern applies, because `regex` is true.
  await rules('alice', [{ allow: false, regex: true, path: '/pub.txt', regexp: { raw: '^/docs/private' } }])
  isRefused(t, await ask('alice', 'GET', '/api/raw/docs/private/secret.txt'), [403])
  t.equal((await ask('alice', 'GET', '/api/raw/pub.txt')).text, 'public')
})

const climbs = [
  '/../../outside/secret.txt',
  '/../../../../../../etc/passwd',
  '/..%2f..%2foutside%2fsecret.txt',
  '/%2e%2e/%2e%2e/outside/secret.txt',
  '/%252e%252e%252f%252e%252e%252foutside%252fsecret.txt',
  '/..%5c..%5coutside%5csecret.txt',
  '/%c0%ae%c0%ae/%c0%ae%c0%ae/outside/secret.txt',
  '/....//....//outside/secret.txt',
  '/..;/..;/outside/secret.txt',
  '/%2Fetc%2Fpasswd',
  '//etc/passwd',
  '/x%00/../../outside/secret.txt',
  '/%EF%BC%8E%EF%BC%8E/%EF%BC%8E%EF%BC%8E/outside/secret.txt',
  '/docs/../../bob/secret.txt',
  '/docs/..%2F..%2Fbob%2Fsecret.txt',
]

row('A13 no spelling of a path leaves the scope, by any call or method', async (t) => {
  const file = await share('/pub.txt')
  const folder = await share('/docs')
  const own = [...readers, '/api/public/dl/none', '/api/public/share/none', `/api/public/share/${folder}`]
  const other = ['/static', '/static/img', `/api/public/dl/${folder}`, '/api/tus']
  for (const climb of climbs) {
    for (const call of [...own, ...other]) {
      const response = await ask('alice', 'GET', call + climb)
      // Outside `/api` and `/static` every address returns the page, which shows that nothing was found.
      const isPage = String(response.headers['content-type']).startsWith('text/html')
      if (!isPage) isRefused(t, response, [400, 403, 404, 405])
    }
    isRefused(t, await ask('alice', 'DELETE', `/api/resources${climb}`), [400, 403, 404])
    isRefused(t, await ask('alice', 'PATCH', `/api/resources${climb}?action=copy&destination=/x`), [400, 404])
    isRefused(t, await ask('alice', 'POST', `/api/share${climb}`, { json: {} }), [400, 404])
    // A shared file returns its own content, whatever name follows the id.
    const cosmetic = await ask('', 'GET', `/api/public/dl/${file}${climb}`)
    if (cosmetic.status === 200) t.equal(cosmetic.text, 'public')
    const files = encodeURIComponent(climb)
    isRefused(t, await ask('alice', 'GET', `/api/raw/docs?files=${files}`), [400, 403, 404])
    isRefused(t, await ask('', 'GET', `/api/public/dl/${folder}/?files=${files}`), [400, 403, 404])
    t.match((await ask('alice', 'GET', `/api/search/?query=${files}`)).text.trim(), '[]')
  }
})

row("A13 a write with '..' in its path stays in the user's scope or is refused", async (t) => {
  for (const climb of climbs) {
    for (const [method, url] of [
      ['PUT', `/api/resources${climb}`],
      ['POST', `/api/resources${climb}`],
      ['PATCH', `/api/resources/pub.txt?action=copy&destination=${encodeURIComponent(climb)}`],
      ['PATCH', `/api/resources/pub.txt?action=copy&destination=${climb}`],
    ] as const) {
      isRefused(t, await ask('alice', method, url, { body: 'x' }), [200, 400, 403, 404, 409])
    }
  }
})

row("A14 an absolute path in a parameter is relative to the user's scope", async (t) => {
  for (const files of ['/etc/passwd', '%2Fetc%2Fpasswd,/bob/secret.txt', '/../bob/secret.txt']) {
    isRefused(t, await ask('alice', 'GET', `/api/raw/?files=${files}`), [400, 404])
  }
  for (const destination of ['/etc/cron.d/x', '//bob/x', `${target.outside}/x`]) {
    const url = `/api/resources/pub.txt?action=copy&destination=${encodeURIComponent(destination)}`
    t.equal((await ask('alice', 'PATCH', url)).status, 200)
  }
  const copies = manifest('alice').join('\n')
  t.match(copies, /alice\/etc\/cron\.d\/x/)
  t.match(copies, /alice\/bob\/x/)
})

row('A15 CVE-2026-44542 public addresses have no method that writes', async (t) => {
  const shareId = await share('/docs')
  const before = manifest('alice')
  const rests = ['', '/', '/public.txt', '/../pub.txt', '/..%2fpub.txt?path=../x']
  const urls = ['share', 'dl'].flatMap((call) => rests.map((rest) => `/api/public/${call}/${shareId}${rest}`))
  const json = [{ path: '../x', fromPath: '/public.txt', toPath: '../../bob/x' }]
  for (const method of ['DELETE', 'PATCH', 'PUT', 'POST']) {
    for (const url of urls) {
      isRefused(t, await ask('', method, url, { json }), [404, 405])
      isRefused(t, await ask('alice', method, url, { json: json[0] }), [404, 405])
    }
  }
  t.strictSame(manifest('alice'), before)
})

row('A16 the source of copy and rename is normalised too, and does not reveal files of others', async (t) => {
  const before = manifest('alice')
  for (const action of ['rename', 'copy']) {
    const bodies = ['secret.txt', 'is-not-there.txt'].map(async (name) => {
      const url = `/api/resources/docs/..%2f..%2fbob%2f${name}?action=${action}&destination=/mine.txt`
      const response = await ask('alice', 'PATCH', url)
      isRefused(t, response, [404])
      return response.text.replace(name, '')
    })
    t.equal(
      ...((await Promise.all(bodies)) as [string, string]),
      'the same response whether the file exists or not',
    )
  }
  t.strictSame(manifest('alice'), before)
})

row('A17 subtitles are checked in the same way as every other file', async (t) => {
  renameSync(join(alice, 'docs/private/s.srt'), join(alice, 's.srt'))
  await rules('alice', ['/s.srt', '/docs/private'])
  for (const path of [
    '/../../outside/s.srt',
    '/..%2f..%2foutside%2fs.srt',
    '/%2e%2e/%2e%2e/outside/s.srt',
    '/s.srt',
  ]) {
    isRefused(t, await ask('alice', 'GET', `/api/subtitle${path}`))
  }
  isRefused(t, await ask('alice', 'GET', '/api/subtitle/etc/passwd'), [404])
  isRefused(t, await ask('alice', 'GET', '/api/subtitle/pub.txt'), [400])
  // 403, where the original returned 202 with an empty body.
  isRefused(t, await ask('nodl', 'GET', '/api/subtitle/Subs/movie.srt'), [403])
})

row('A18 access is bound to the route, not to the spelling of the address', async (t) => {
  const line = (text: string, ...headers: string[]) =>
    raw(t, [`${text} HTTP/1.1`, 'Host: coffer', 'Connection: close', ...headers, '', ''].join('\r\n'))
  const closed = [
    'GET http://host/api/settings',
    'GET /api/settings',
    'GET /api%2Fsettings',
    'GET /API/settings',
    'GET /api/settings/',
    'GET /api//settings',
    'GET //api/settings',
    'GET /./api/settings',
    'GET /api/resourcesX',
    'GET /api/rawfoo',
    'GET /api/public/dlX',
    'GET /api/public/../settings',
    'GET /api/public/%2e%2e/settings',
    'GET /api/settings%00',
    'GET /api/settings;x',
    'GET /static/../api/settings',
  ]
  for (const address of closed) {
    const said = await line(address)
    // An address that is not an API call returns the page, which is the same for every user.
    if (/content-type: text\/html/i.test(said))
      t.match(said, /%SETTINGS%|application\/json">\{"Name"/, address)
    else t.match(said, /^HTTP\/1\.1 (400|401|404) /, address)
    t.notMatch(said, /minimumPasswordLength|"items"/, address)
  }
  const overrides = [
    'X-HTTP-Method-Override: DELETE',
    'X-Original-URL: /api/users',
    'X-Rewrite-URL: /api/users',
  ]
  for (const header of overrides) {
    const own = [`X-Auth: ${await target.token('alice')}`, header]
    t.match(await line('GET /api/raw/pub.txt', ...own), /^HTTP\/1\.1 200 .*public$/s, header)
    t.match(await line('GET /api/settings', header), /^HTTP\/1\.1 401 /, header)
  }
})
