import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { password, start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'

const needsHugo = { skip: spawnSync(systemTool('hugo'), ['version']).error ? 'hugo is not installed' : false }

const layouts = {
  _default: {
    'single.html': '<html><body><h1>{{ .Title }}</h1>{{ .Content }}</body></html>',
    'list.html':
      '<html><body>{{ range .Site.RegularPages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</body></html>',
  },
}

/** A server whose served folder contains a new Hugo site `blog`, and three users. */
async function hugoSite(t: Test, options: Parameters<typeof start>[1] = {}) {
  const app = await start(t, {
    people: {
      pat: { perm: { publish: true } },
      ann: {},
      sub: { scope: '/blog/content', perm: { publish: true } },
    },
    ...options,
    config: { staticgen: 'hugo', ...options.config },
  })
  const site = join(app.root, 'blog')
  execFileSync(systemTool('hugo'), ['new', 'site', site], { stdio: 'ignore' })
  for (const [folder, files] of Object.entries(layouts)) {
    mkdirSync(join(site, 'layouts', folder), { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(site, 'layouts', folder, name), text)
  }
  mkdirSync(join(site, 'content', 'posts'), { recursive: true })
  const admin = await app.as('admin')
  const settings = await admin('PUT', '/api/settings', {
    payload: { staticGen: { Root: '/blog' }, current_password: password },
  })
  t.equal(settings.statusCode, 200, settings.body)
  const post = (name: string, text: string) => writeFileSync(join(site, 'content', 'posts', name), text)
  const published = (path: string) => {
    const file = join(site, 'public', path)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }
  return { ...app, site, admin, pat: await app.as('pat'), post, published }
}

const draft = '---\ntitle: Sea\ndraft: true # not yet\n---\nWaves.\n'

t.test('publishing a draft removes its mark and builds the site', needsHugo, async (t) => {
  const { pat, post, published, site } = await hugoSite(t)
  post('sea.md', draft)
  const response = await pat('POST', '/api/publish/blog/content/posts/sea.md')
  t.equal(response.statusCode, 200, response.body)
  t.match(response.json(), { path: '/blog/content/posts/sea.md', output: /Total in/ })
  t.equal(readFileSync(join(site, 'content/posts/sea.md'), 'utf8'), draft.replace('true', 'false'))
  t.match(published('posts/sea/index.html'), /<h1>Sea<\/h1>/)
  t.strictSame(
    readdirSync(site).filter((name) => name.startsWith('.')),
    [],
    'nothing temporary stays',
  )
  const list = await pat('GET', '/api/publish')
  t.match(list.json(), {
    scheduled: [],
    runs: [{ path: '/blog/content/posts/sea.md', username: 'pat', outcome: 'published' }],
  })
})

t.test(
  'a build that fails leaves the old site, and the response has the last lines of the generator',
  needsHugo,
  async (t) => {
    const { pat, post, published, site } = await hugoSite(t)
    post('sea.md', draft)
    t.equal((await pat('POST', '/api/publish/blog/content/posts/sea.md')).statusCode, 200)
    writeFileSync(join(site, 'layouts/_default/single.html'), '{{ .Nothing.At.All }}')
    post('land.md', '---\ntitle: Land\n---\n')
    const response = await pat('POST', '/api/publish/blog/')
    t.equal(response.statusCode, 422)
    t.match(response.body, /hugo failed: .*Nothing/s)
    t.match(published('posts/sea/index.html'), /Sea/)
    t.equal(published('posts/land/index.html'), undefined)
    t.strictSame(
      readdirSync(site).filter((name) => name.startsWith('.coffer')),
      [],
    )
    t.match((await pat('GET', '/api/publish')).json().runs[0], { outcome: 'failed', path: '/blog' })
  },
)

t.test(
  'files of the last publication that are no longer generated are removed, or kept if the settings say so',
  needsHugo,
  async (t) => {
    const { admin, pat, published, site } = await hugoSite(t)
    t.equal((await pat('POST', '/api/publish/blog/')).statusCode, 200)
    writeFileSync(join(site, 'public', 'old.html'), 'old')
    const staticGen = { CleanPublic: false }
    t.equal((await admin('PUT', '/api/settings', { payload: { staticGen } })).statusCode, 200)
    t.equal((await pat('POST', '/api/publish/blog/')).statusCode, 200)
    t.equal(published('old.html'), 'old')
    t.equal(
      (await admin('PUT', '/api/settings', { payload: { staticGen: { CleanPublic: true } } })).statusCode,
      200,
    )
    t.equal((await pat('POST', '/api/publish/blog/')).statusCode, 200)
    t.equal(published('old.html'), undefined)
    t.ok(published('index.html'))
  },
)

t.test(
  'only users with the permission publish, and only a site that is inside their scope',
  needsHugo,
  async (t) => {
    const { as, pat, admin, post, app, document } = await hugoSite(t)
    post('sea.md', draft)
    const [ann, sub] = [await as('ann'), await as('sub')]
    const calls = [
      ['GET', '/api/site'],
      ['GET', '/api/site/status/blog/content/posts'],
      ['POST', '/api/site/pages', { kind: 'default', title: 'A' }],
      ['POST', '/api/site/preview'],
      ['POST', '/api/site/front-matter', { text: '' }],
      ['GET', '/api/publish'],
      ['POST', '/api/publish/blog/content/posts/sea.md'],
      ['POST', '/api/publish/blog/content/posts/sea.md?at=2030-01-01T00:00:00Z'],
      ['DELETE', '/api/publish/abc'],
    ] as const
    for (const [method, url, payload] of calls) {
      const body = payload && { payload }
      t.equal((await ann(method, url, body)).statusCode, 403, `${method} ${url}`)
      if (!url.includes('front-matter'))
        t.equal((await sub(method, url, body)).statusCode, 403, `${method} ${url}`)
      t.equal((await app.inject({ method, url, ...body })).statusCode, 401, `${method} ${url}`)
    }
    for (const path of [
      'other.txt',
      'blog/public/index.html',
      'blog/../other.txt',
      'blog/content/../../other.txt',
    ]) {
      const response = await pat('POST', `/api/publish/${path}`)
      t.ok([404, 422].includes(response.statusCode), `${path}: ${response.statusCode}`)
    }
    const rules = [{ allow: false, path: '/blog/content/posts', regex: false, regexp: null }]
    await document.update((draft) => {
      draft.settings.rules = rules
    })
    t.equal(
      (await pat('POST', '/api/publish/blog/content/posts/sea.md')).statusCode,
      403,
      'a rule denies the file',
    )
    t.equal((await admin('GET', '/api/site')).statusCode, 200, 'administrators have the permission')
    const text = `---\ntitle: A\n---\n${'"é'.repeat(100_000)}`
    const changes = [{ name: 'title', value: 'B' }]
    const changed = await admin('POST', '/api/site/front-matter', { payload: { text, changes } })
    t.match(changed.json().view, { format: 'yaml', fields: [{ name: 'title', value: 'B' }] })
    t.ok(changed.json().text === text.replace('title: A', 'title: B'), 'also for a long text')
  },
)

t.test('without --staticgen nothing can be published and the settings do not mention it', async (t) => {
  const { as } = await start(t)
  const admin = await as('admin')
  for (const [method, url] of [
    ['GET', '/api/site'],
    ['GET', '/api/publish'],
    ['POST', '/api/publish/a.md'],
  ] as const)
    t.equal((await admin(method, url)).statusCode, 404)
  t.notOk('staticGen' in (await admin('GET', '/api/settings')).json())
})

t.test(
  'a scheduled publication survives a restart, runs once, and late if the server was down',
  needsHugo,
  async (t) => {
    const first = await hugoSite(t, { onDisk: true })
    const { pat, post, published, clock, root, base } = first
    post('sea.md', draft)
    const at = new Date(first.clock.now() + 3600_000).toISOString()
    const scheduled = await pat('POST', `/api/publish/blog/content/posts/sea.md?at=${at}`)
    t.match(scheduled.json(), { path: '/blog/content/posts/sea.md', scheduled: { at, username: 'pat' } })
    t.equal((await pat('POST', '/api/publish/blog/?at=2020-01-01T00:00:00Z')).statusCode, 422, 'in the past')
    for (const wrong of ['tomorrow', '2030-01-01', '2030-01-01T00:00', '2030-13-01T00:00:00Z'])
      t.equal((await pat('POST', `/api/publish/blog/?at=${wrong}`)).statusCode, 400, wrong)
    await first.services.site.runDue()
    t.equal(published('posts/sea/index.html'), undefined, 'not yet')
    await first.close()
    const second = await start(t, { base, onDisk: true, config: { staticgen: 'hugo' }, people: {} })
    t.equal(second.root, root)
    second.clock.advance({ seconds: 2 * 3600 })
    await second.services.site.runDue()
    t.match(published('posts/sea/index.html'), /Sea/)
    const list = (await (await second.as('pat'))('GET', '/api/publish')).json()
    t.match(list, { scheduled: [], runs: [{ outcome: 'published', late: at, username: 'pat' }] })
    t.equal(list.runs.length, 1)
    t.ok(clock)
  },
)

t.test(
  'a schedule that was cancelled does not run, and the permissions count when the time has come',
  needsHugo,
  async (t) => {
    const { pat, admin, post, published, clock, services, document } = await hugoSite(t)
    post('sea.md', draft)
    const schedule = async () => {
      const at = new Date(clock.now() + 60_000).toISOString()
      return (await pat('POST', `/api/publish/blog/content/posts/sea.md?at=${at}`)).json().scheduled
        .id as string
    }
    const id = await schedule()
    t.equal((await pat('DELETE', `/api/publish/${id}`)).statusCode, 200)
    t.equal((await pat('DELETE', `/api/publish/${id}`)).statusCode, 404)
    clock.advance({ seconds: 120 })
    await services.site.runDue()
    t.equal(published('posts/sea/index.html'), undefined)
    await schedule()
    await document.update((state) => {
      for (const user of Object.values(state.users)) if (user.username === 'pat') user.perm.publish = false
    })
    clock.advance({ seconds: 120 })
    await services.site.runDue()
    t.equal(published('posts/sea/index.html'), undefined)
    t.match((await admin('GET', '/api/publish')).json(), {
      scheduled: [],
      runs: [{ outcome: 'refused', username: 'pat' }],
    })
  },
)

t.test('the status of a post: draft, scheduled, future or published', needsHugo, async (t) => {
  const { pat, post, clock } = await hugoSite(t)
  post('a.md', draft)
  post('b.md', draft)
  post('c.md', '---\ndate: 2099-01-01\n---\n')
  post('d.md', 'No front matter.')
  post('e.md', '---\na: [1\n---\n')
  post('f.txt', '---\ndraft: true\n---\n')
  const at = new Date(clock.now() + 60_000).toISOString()
  t.equal((await pat('POST', `/api/publish/blog/content/posts/b.md?at=${at}`)).statusCode, 200)
  t.same((await pat('GET', '/api/site/status/blog/content/posts/')).json(), [
    { name: 'a.md', state: 'draft' },
    { name: 'b.md', state: 'scheduled', at },
    { name: 'c.md', state: 'future', at: '2099-01-01T00:00:00.000Z' },
    { name: 'd.md', state: 'published' },
  ])
})

t.test(
  'a new page comes from an archetype of the site, under a name made from its title',
  needsHugo,
  async (t) => {
    const { pat, site, as } = await hugoSite(t)
    writeFileSync(
      join(site, 'archetypes/posts.md'),
      '---\ntitle: "{{ replace .Name "-" " " }}"\nkind: own\ndraft: true\n---\n',
    )
    t.match((await pat('GET', '/api/site')).json(), {
      generator: 'hugo',
      root: '/blog',
      content: ['/blog/content'],
      public: '/blog/public',
      config: /^\/blog\/(config|hugo)\.toml$/,
      archetypes: ['default', 'posts'],
    })
    const create = (kind: string, title: string, folder?: string) =>
      pat('POST', '/api/site/pages', { payload: { kind, title, folder } })
    const made = await create('posts', 'Ein Tag am Meer!')
    t.equal(made.statusCode, 200, made.body)
    t.same(made.json(), {
      path: '/blog/content/posts/ein-tag-am-meer.md',
    })
    t.match(
      readFileSync(join(site, 'content/posts/ein-tag-am-meer.md'), 'utf8'),
      /title: "Ein Tag am Meer!"\nkind: own/,
    )
    t.equal((await create('posts', 'Ein Tag am Meer')).statusCode, 409)
    t.equal((await create('default', 'About', 'info/us')).json().path, '/blog/content/info/us/about.md')
    t.equal((await create('default', '--help', '--config=x')).json().path, '/blog/content/--config=x/help.md')
    t.equal((await create('none', 'A')).statusCode, 422)
    t.equal((await create('--help', 'A')).statusCode, 422)
    t.equal((await create('default', 'A', '../../..')).json().path, '/blog/content/a.md')
    t.equal((await create('default', '../../x')).json().path, '/blog/content/x.md')
    const ann = await as('ann')
    t.equal(
      (await ann('POST', '/api/site/pages', { payload: { kind: 'posts', title: 'A' } })).statusCode,
      403,
    )
  },
)

t.test(
  'a preview shows drafts behind a ticket, in an origin of its own, and follows changes of the site',
  needsHugo,
  async (t) => {
    const { pat, post, published, app, clock, services } = await hugoSite(t)
    post('sea.md', draft)
    const { url } = (await pat('POST', '/api/site/preview')).json()
    t.match(url, /^\/api\/site\/preview\/[\w-]{20,}\/$/)
    const get = (path: string) => app.inject({ method: 'GET', url: url + path })
    const page = await get('posts/sea/')
    t.match(page.body, /<h1>Sea<\/h1>/)
    t.equal(page.headers['content-security-policy'], 'sandbox allow-scripts')
    t.match((await get('')).body, new RegExp(`href="${url}posts/sea/"`))
    t.equal((await get('posts/sea')).headers.location, `${url}posts/sea/`)
    t.equal(published('index.html'), undefined, 'the site itself is not touched')
    const version = (await get('.coffer-version')).body
    const saved = await pat('PUT', '/api/resources/blog/content/posts/sea.md', {
      payload: draft.replace('Waves', 'Wind'),
    })
    t.equal(saved.statusCode, 200)
    t.not((await get('.coffer-version')).body, version)
    t.match((await get('posts/sea/')).body, /Wind/)
    for (const path of ['..%2f..%2f..%2fetc/passwd', '..%2f..%2fstate.json', 'none.html'])
      t.ok([400, 404].includes((await get(path)).statusCode), path)
    t.equal((await app.inject('/api/site/preview/AAAAAAAAAAAAAAAAAAAAAA/')).statusCode, 404)
    clock.advance({ seconds: 3601 })
    await services.site.sweepPreviews()
    t.equal((await get('')).statusCode, 404, 'gone an hour after the last look')
  },
)

t.test(
  'a public folder that is a link, and a configuration that names another output, change nothing outside',
  needsHugo,
  async (t) => {
    const { pat, site, base } = await hugoSite(t)
    mkdirSync(join(base, 'outside'))
    writeFileSync(join(base, 'outside', 'kept.txt'), 'kept')
    rmSync(join(site, 'public'), { recursive: true, force: true })
    symlinkSync(join(base, 'outside'), join(site, 'public'))
    t.equal((await pat('POST', '/api/publish/blog/')).statusCode, 403)
    rmSync(join(site, 'public'))
    rmSync(join(site, 'hugo.toml'), { force: true })
    writeFileSync(join(site, 'config.toml'), `title = 'x'\npublishDir = '${join(base, 'outside')}'\n`)
    t.equal((await pat('POST', '/api/publish/blog/')).statusCode, 200)
    t.strictSame(readdirSync(join(base, 'outside')), ['kept.txt'])
    t.ok(existsSync(join(site, 'public/index.html')))
  },
)

t.test('the settings of the website are validated as one', needsHugo, async (t) => {
  const { admin, root } = await hugoSite(t)
  const put = (staticGen: object) => admin('PUT', '/api/settings', { payload: { staticGen } })
  for (const staticGen of [
    { Public: '/blog' },
    { Public: '/' },
    { Public: '/other/public' },
    { Root: '/blog/public', Public: '/blog/public' },
    { Exe: '/bin/sh' },
    { Exe: 'sh' },
    { Exe: 'sub/hugo' },
    { Args: ['server'] },
    { Args: ['--destination', '/etc'] },
    { Args: ['--destination=/etc'] },
    { Args: ['-d/etc'] },
    { Args: ['--config=/etc/x'] },
    { Args: ['a\nb'] },
  ])
    t.equal((await put(staticGen)).statusCode, 400, JSON.stringify(staticGen))
  t.equal((await put({ Root: '/site', Args: ['--minify'] })).statusCode, 200)
  const { staticGen } = (await admin('GET', '/api/settings')).json()
  t.same(staticGen, {
    Root: '/site',
    Public: '/site/public',
    Exe: 'hugo',
    Args: ['--minify'],
    CleanPublic: true,
  })
  t.equal((await admin('POST', '/api/publish/site/')).statusCode, 422, 'the root does not exist')
  writeFileSync(join(root, 'site'), '')
  t.equal((await admin('POST', '/api/publish/site/')).statusCode, 422, 'the root is a file')
})

t.test('a generator that hangs or floods is stopped, and the server can be closed meanwhile', async (t) => {
  const app = await start(t, {
    tree: { blog: { content: { 'a.md': draft } } },
    config: { staticgen: 'hugo', execWithoutSandbox: true },
  })
  const admin = await app.as('admin')
  const program = join(app.base, 'hugo')
  const write = (script: string) => {
    writeFileSync(program, `#!/bin/sh\n${script}\n`)
    chmodSync(program, 0o755)
  }
  write('yes')
  const staticGen = { Root: '/blog', Exe: program }
  t.equal((await admin('PUT', '/api/settings', { payload: { staticGen } })).statusCode, 200)
  const flooded = await admin('POST', '/api/publish/blog/')
  t.equal(flooded.statusCode, 422)
  t.match(flooded.body, /printed too much/)
  t.ok(flooded.body.length < 20_000)
  write('sleep 300')
  const hanging = admin('POST', '/api/publish/blog/')
  while (!readdirSync(join(app.root, 'blog')).some((name) => name.startsWith('.coffer-part-')))
    await new Promise(setImmediate)
  app.services.site.close()
  t.ok([422, 503].includes((await hanging).statusCode))
})

t.test('after a crash between the two renames, the next start puts the new site in its place', async (t) => {
  const app = await start(t, {
    onDisk: true,
    tree: { blog: { '.coffer-part-new': { 'index.html': 'new' } } },
  })
  const folder = join(app.root, 'blog')
  const note = {
    id: 'abc',
    kind: 'swap',
    folder,
    name: 'public',
    next: '.coffer-part-new',
    aside: '.coffer-part-old',
  }
  await app.close()
  writeFileSync(join(app.base, 'state.d/site/abc.json'), JSON.stringify(note))
  const again = await start(t, { base: app.base, onDisk: true })
  t.equal(readFileSync(join(again.root, 'blog/public/index.html'), 'utf8'), 'new')
  t.strictSame(readdirSync(join(app.base, 'state.d/site')), [])
})

t.test('clients of File Browser 1 publish, schedule and create pages with headers', needsHugo, async (t) => {
  const { pat, as, site, published, post } = await hugoSite(t)
  post('sea.md', draft)
  const put = (headers: Record<string, string>, call = pat) =>
    call('PUT', '/api/resources/blog/content/posts/sea.md', { payload: draft, headers })
  t.equal((await put({ publish: 'true' })).statusCode, 200)
  t.match(published('posts/sea/index.html'), /Sea/)
  t.equal((await put({ publish: 'true' }, await as('ann'))).statusCode, 403)
  t.equal((await put({ schedule: '2031-12-01T08:30' })).statusCode, 200)
  const { scheduled } = (await pat('GET', '/api/publish')).json()
  t.strictSame(
    scheduled.map(({ at }: { at: string }) => at),
    [new Date('2031-12-01T08:30:00').toISOString()],
  )
  t.equal((await put({ schedule: 'tomorrow' })).statusCode, 400)
  const made = await pat('POST', '/api/resources/posts/new.md', { headers: { archetype: 'default' } })
  t.equal(made.statusCode, 200)
  t.equal(made.headers.location, '/files/blog/content/posts/new.md')
  t.ok(existsSync(join(site, 'content/posts/new.md')))
  t.equal(
    (await pat('POST', '/api/resources/posts/new.txt', { headers: { archetype: 'default' } })).statusCode,
    400,
  )
})

t.test(
  'publications at the same time share the runs of the generator that they wait for',
  needsHugo,
  async (t) => {
    const { pat, admin, post, published } = await hugoSite(t)
    for (let n = 0; n < 8; n++) post(`${n}.md`, draft)
    const calls = Array.from({ length: 8 }, (_, n) =>
      (n % 2 ? pat : admin)('POST', `/api/publish/blog/content/posts/${n}.md`),
    )
    const responses = await Promise.all(calls)
    t.strictSame([...new Set(responses.map(({ statusCode }) => statusCode))], [200])
    for (let n = 0; n < 8; n++) t.match(published(`posts/${n}/index.html`), /Sea/, `${n}`)
  },
)

t.test('at most 200 publications are scheduled', needsHugo, async (t) => {
  const { pat, clock } = await hugoSite(t)
  const at = new Date(clock.now() + 3600_000).toISOString()
  const schedule = () => pat('POST', `/api/publish/blog/?at=${at}`)
  for (let n = 0; n < 200; n++) if ((await schedule()).statusCode !== 200) t.fail(`${n}`)
  t.equal((await schedule()).statusCode, 429)
})

t.test('administrators give the permission to publish, also to new users', needsHugo, async (t) => {
  const { admin, as } = await hugoSite(t)
  const data = { username: 'eve', password: 'some long passphrase', scope: '/', perm: { publish: true } }
  t.equal((await admin('POST', '/api/users', { payload: { what: 'user', which: [], data } })).statusCode, 201)
  const { id } = (await admin('GET', '/api/users'))
    .json()
    .find(({ username }: { username: string }) => username === 'eve')
  const token = (await as('pat')) && (await admin('GET', `/api/users/${id}`)).json()
  t.equal(token.perm.publish, true)
  const change = { what: 'user', which: ['perm'], data: { id, perm: { modify: true } } }
  t.equal((await admin('PUT', `/api/users/${id}`, { payload: change })).statusCode, 200)
  t.notOk((await admin('GET', `/api/users/${id}`)).json().perm.publish, 'a missing permission is false')
  const defaults = { perm: { publish: true } }
  t.equal((await admin('PUT', '/api/settings', { payload: { defaults } })).statusCode, 200)
  t.equal((await admin('GET', '/api/settings')).json().defaults.perm.publish, true)
})

t.test(
  'a user from whom rules hide a part of the website can neither publish nor preview it',
  needsHugo,
  async (t) => {
    const { pat, admin, site, document, post, published } = await hugoSite(t)
    mkdirSync(join(site, 'data'), { recursive: true })
    writeFileSync(join(site, 'data/secret.txt'), 'CANARY')
    writeFileSync(join(site, 'layouts/_default/single.html'), '{{ readFile "data/secret.txt" }}')
    post('sea.md', draft)
    const preview = (await pat('POST', '/api/site/preview')).json().url
    const deny = (path: string, regex = false) =>
      document.update((state) => {
        for (const user of Object.values(state.users)) {
          const rule = { allow: false, path, regex, regexp: regex ? { raw: 'secret' } : null }
          if (user.username === 'pat') user.rules = [rule]
        }
      })
    for (const [path, regex] of [
      ['/blog/data', false],
      ['', true],
    ] as const) {
      await deny(path, regex)
      for (const url of ['/api/publish/blog/content/posts/sea.md', '/api/site/preview'])
        t.equal((await pat('POST', url)).statusCode, 422, url)
      t.notMatch((await pat('GET', `${preview}posts/sea/`)).body, /CANARY/)
    }
    await deny('/other')
    t.equal((await pat('POST', '/api/publish/blog/content/posts/sea.md')).statusCode, 200)
    t.match(published('posts/sea/index.html'), /CANARY/)
    t.ok(admin)
  },
)

/** A server whose generator is a script of the test. */
async function scriptedSite(t: Test, script: string) {
  const config = { staticgen: 'hugo', execWithoutSandbox: true } as const
  const people = { pat: { perm: { publish: true } } }
  const app = await start(t, { tree: { blog: { content: { posts: { 'a.md': '' } } } }, people, config })
  const program = join(app.base, 'hugo')
  const write = (text: string) => {
    const out = 'while [ "$1" != --destination ]; do shift; done; out=$2'
    writeFileSync(program, `#!/bin/sh\n${out}\n${text}\n`)
    chmodSync(program, 0o755)
  }
  write(script)
  const admin = await app.as('admin')
  const payload = { staticGen: { Root: '/blog', Exe: program } }
  t.equal((await admin('PUT', '/api/settings', { payload })).statusCode, 200)
  return { ...app, admin, pat: await app.as('pat'), write, site: join(app.root, 'blog') }
}

t.test('a result that is empty or contains a link is not published', async (t) => {
  const { admin, site, write } = await scriptedSite(t, 'echo new > $out/index.html')
  t.equal((await admin('POST', '/api/publish/blog/')).statusCode, 200)
  for (const script of [
    'true',
    'mkdir $out/a',
    'echo x > $out/a; ln -s /etc/passwd $out/b',
    'mkfifo $out/c',
  ]) {
    write(script)
    const response = await admin('POST', '/api/publish/blog/')
    t.equal(response.statusCode, 422, script)
    t.match(response.body, /created/)
    t.strictSame(readdirSync(join(site, 'public')), ['index.html'], script)
  }
  t.strictSame(readdirSync(site).sort(), ['content', 'public'])
})

t.test('drafts stay drafts, byte by byte, when the build fails that should publish them', async (t) => {
  // Fails while the site has a file `bad`. Otherwise the website is all posts in one file.
  const build = '[ -e bad ] && exit 1; cat content/posts/*.md > $out/index.html'
  const { admin, pat, site, write } = await scriptedSite(t, build)
  const file = (name: string) => join(site, 'content/posts', name)
  const text = '---\r\ntitle: Sea\r\ndraft: true # not yet\r\n---\r\nWaves.'
  const names = ['a.md', 'b.md', 'c.md']
  for (const name of names) writeFileSync(file(name), text)
  writeFileSync(join(site, 'bad'), '')
  const publish = (name: string, who = pat) => who('POST', `/api/publish/blog/content/posts/${name}`)
  const refused = await Promise.all(names.map((name, n) => publish(name, n % 2 ? admin : pat)))
  t.strictSame(
    refused.map(({ statusCode }) => statusCode),
    [422, 422, 422],
  )
  for (const name of names) t.equal(readFileSync(file(name), 'utf8'), text, name)
  rmSync(join(site, 'bad'))
  t.equal((await admin('POST', '/api/publish/blog/')).statusCode, 200)
  const published = readFileSync(join(site, 'public/index.html'), 'utf8')
  t.equal(published, text.repeat(3), 'the next build of anything does not bring them online')
  write('echo more >> content/posts/a.md; exit 1')
  t.equal((await publish('a.md')).statusCode, 422)
  t.equal(
    readFileSync(file('a.md'), 'utf8'),
    `${text.replace('true', 'false')}more\n`,
    'what another program has changed meanwhile stays',
  )
})

t.test('undoing a publication puts the old website and the mark of the draft back', async (t) => {
  const { admin, call, site } = await scriptedSite(t, 'cat content/posts/*.md > $out/index.html')
  const file = join(site, 'content/posts/a.md')
  const index = () => readFileSync(join(site, 'public/index.html'), 'utf8')
  writeFileSync(file, 'first')
  t.equal((await admin('POST', '/api/publish/blog/')).statusCode, 200)
  const { hash } = (await admin('POST', '/api/share/blog/public', { payload: {} })).json()
  writeFileSync(file, draft)
  const done = await admin('POST', '/api/publish/blog/content/posts/a.md')
  t.equal(index(), draft.replace('true', 'false'))
  t.equal((await call('GET', `/api/public/share/${hash}`)).statusCode, 200, 'a link leads to the new website')
  const reverse = async (verb: 'undo' | 'redo') => {
    const reply = await admin('POST', `/api/operations/${done.headers['x-operation']}/${verb}`)
    t.match(reply.json(), { left: [] }, reply.body)
  }
  writeFileSync(join(site, 'public/added.txt'), 'added since')
  await reverse('undo')
  t.equal(index(), 'first')
  t.equal(readFileSync(file, 'utf8'), draft)
  const { items } = (await admin('GET', '/api/trash')).json()
  t.match(items, [{ path: '/blog/public', isDir: true }], 'the newer website can be found in the trash')
  t.equal((await call('GET', `/api/public/share/${hash}`)).statusCode, 200)
  await reverse('redo')
  t.equal(index(), draft.replace('true', 'false'))
  t.equal(readFileSync(file, 'utf8'), draft.replace('true', 'false'))
  t.strictSame(readdirSync(site).sort(), ['content', 'public'], 'nothing else is left')
  const early = await admin('POST', '/api/publish/blog/')
  t.equal((await admin('POST', '/api/publish/blog/')).statusCode, 200)
  const refused = await admin('POST', `/api/operations/${early.headers['x-operation']}/undo`)
  t.equal(refused.statusCode, 409, 'a later publication is not undone with it')
  t.equal(index(), draft.replace('true', 'false'))
})

t.test('a page of a preview that is loaded again shows what other programs have changed', async (t) => {
  const { admin, app, site } = await scriptedSite(
    t,
    'cat content/posts/*.md > $out/index.html; cat $out/index.html > $out/plain.css',
  )
  const file = join(site, 'content/posts/a.md')
  writeFileSync(file, 'one')
  const { url } = (await admin('POST', '/api/site/preview')).json()
  const get = async (path = '') => (await app.inject(url + path)).body
  t.match(await get(), /^one/)
  const version = await get('.coffer-version')
  t.match(await get(), /^one/)
  t.equal(await get('.coffer-version'), version, 'nothing is built without a change')
  writeFileSync(file, 'other')
  t.equal(await get('plain.css'), 'one', 'only pages look for changes')
  t.match(await get(), /^other/)
  writeFileSync(join(site, 'content/posts/b.md'), ' two')
  t.match(await get('index.html'), /^other two/)
  rmSync(file)
  t.match(await get(), /^ two/)
  const before = await get('.coffer-version')
  t.equal((await admin('POST', '/api/publish/blog/')).statusCode, 200)
  t.match(await get(), /^ two/)
  t.equal(await get('.coffer-version'), before, 'publishing changes no source')
})

t.test('the output of the generator is plain text', async (t) => {
  const { admin } = await scriptedSite(
    t,
    "printf '\\033[1;31mError:\\033[0m no \\033]8;;x\\007layout\\tfound\\r\\n'; exit 1",
  )
  t.match((await admin('POST', '/api/publish/blog/')).body, 'hugo failed: Error: no layout\tfound')
})

t.test('the output of the generator names no folders of the host', async (t) => {
  const { admin, root } = await scriptedSite(
    t,
    'echo "read $PWD/content/a.md, wrote $out/index.html"; exit 1',
  )
  const response = await admin('POST', '/api/publish/blog/')
  t.match(response.body, /read \.\/content\/a\.md, wrote public\/index\.html/)
  t.notOk(response.body.includes(root))
})

t.test('rules hide schedules and runs, and a site that has moved shows none of its old ones', async (t) => {
  const { admin, pat, clock, document, root } = await scriptedSite(t, 'echo new > $out/index.html')
  const at = new Date(clock.now() + 60_000).toISOString()
  const { id } = (await admin('POST', `/api/publish/blog/content/posts/a.md?at=${at}`)).json().scheduled
  t.equal((await admin('POST', '/api/publish/blog/content/posts/a.md')).statusCode, 200)
  t.equal((await pat('GET', '/api/publish')).json().scheduled.length, 1)
  await document.update((state) => {
    for (const user of Object.values(state.users)) {
      if (user.username === 'pat')
        user.rules = [{ allow: false, path: '/blog/content/posts', regex: false, regexp: null }]
    }
  })
  t.same((await pat('GET', '/api/publish')).json(), { scheduled: [], runs: [] })
  t.equal((await pat('DELETE', `/api/publish/${id}`)).statusCode, 404)
  mkdirSync(join(root, 'new'))
  t.equal((await admin('PUT', '/api/settings', { payload: { staticGen: { Root: '/new' } } })).statusCode, 200)
  t.same((await admin('GET', '/api/publish')).json(), { scheduled: [], runs: [] })
})

t.test('a preview ends with the session that opened it, also while it is being built', async (t) => {
  const { pat, app, write, clock } = await scriptedSite(t, 'echo "<p>one" > $out/index.html')
  const { url } = (await pat('POST', '/api/site/preview')).json()
  t.match((await app.inject(url)).body, /one/)
  write('sleep 0.5; echo "<p>two" > $out/index.html')
  t.equal((await pat('PUT', '/api/resources/blog/content/posts/a.md', { payload: 'x' })).statusCode, 200)
  const waiting = app.inject(url)
  await new Promise(setImmediate)
  t.equal((await pat('POST', '/api/logout')).statusCode, 200)
  await waiting
  t.equal((await app.inject(url)).statusCode, 404)
  t.ok(clock)
})

t.test('after a crash with only the old site left, the next start puts it back', async (t) => {
  const app = await start(t, {
    onDisk: true,
    tree: { blog: { '.coffer-part-old': { 'index.html': 'old' } } },
  })
  const folder = join(app.root, 'blog')
  await app.close()
  const note = {
    id: 'abc',
    kind: 'swap',
    folder,
    name: 'public',
    next: '.coffer-part-new',
    aside: '.coffer-part-old',
  }
  const missing = { ...note, id: 'def', folder: join(app.root, 'not-mounted') }
  for (const one of [note, missing])
    writeFileSync(join(app.base, `state.d/site/${one.id}.json`), JSON.stringify(one))
  await start(t, { base: app.base, onDisk: true })
  t.equal(readFileSync(join(folder, 'public/index.html'), 'utf8'), 'old')
  t.strictSame(
    readdirSync(join(app.base, 'state.d/site')),
    ['def.json'],
    'a disk that is missing is tried again',
  )
})

t.test('a header that cannot be obeyed leaves the file as it was', async (t) => {
  const { admin, root } = await scriptedSite(t, 'exit 1')
  writeFileSync(join(root, 'other.md'), 'old')
  const put = (path: string, headers: Record<string, string>) =>
    admin('PUT', `/api/resources/${path}`, { payload: 'new', headers })
  t.equal((await put('other.md', { publish: 'true' })).statusCode, 422)
  t.equal((await put('blog/content/posts/a.md', { schedule: '2020-01-01T08:30' })).statusCode, 422)
  t.equal(readFileSync(join(root, 'other.md'), 'utf8'), 'old')
  t.equal(readFileSync(join(root, 'blog/content/posts/a.md'), 'utf8'), '')
  t.equal(
    (await put('blog/content/posts/a.md', { publish: 'true' })).statusCode,
    200,
    'a failed build is only logged',
  )
  t.equal(readFileSync(join(root, 'blog/content/posts/a.md'), 'utf8'), 'new')
})
