import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { password, start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'

const needsJekyll = {
  skip: spawnSync(systemTool('jekyll'), ['--version']).error ? 'jekyll is not installed' : false,
}

/** A server whose served folder contains a new Jekyll site `blog`. */
async function jekyllSite(t: Test) {
  const app = await start(t, {
    people: { pat: { perm: { publish: true } } },
    config: { staticgen: 'jekyll' },
  })
  const site = join(app.root, 'blog')
  execFileSync(systemTool('jekyll'), ['new', '--blank', site], { stdio: 'ignore' })
  writeFileSync(
    join(site, '_layouts/post.html'),
    '<html><body><h1>{{ page.title }}</h1>{{ content }}</body></html>',
  )
  const admin = await app.as('admin')
  const payload = { staticGen: { Root: '/blog', Public: '/blog/_site' }, current_password: password }
  t.equal((await admin('PUT', '/api/settings', { payload })).statusCode, 200)
  const write = (path: string, text: string) => writeFileSync(join(site, path), text)
  const published = (path: string) => {
    const file = join(site, '_site', path)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }
  return { ...app, site, admin, pat: await app.as('pat'), write, published }
}

const text = '---\nlayout: post\ntitle: Sea\ndate: 2026-02-03 08:30:00 +0000\n---\nWaves.\n'

t.test('publishing a draft of Jekyll moves it to the posts, under its date', needsJekyll, async (t) => {
  const { pat, write, published, site } = await jekyllSite(t)
  write('_drafts/sea.md', text)
  const response = await pat('POST', '/api/publish/blog/_drafts/sea.md')
  t.equal(response.statusCode, 200, response.body)
  t.equal(response.json().path, '/blog/_posts/2026-02-03-sea.md')
  t.strictSame(readdirSync(join(site, '_drafts')), [])
  t.equal(readFileSync(join(site, '_posts/2026-02-03-sea.md'), 'utf8'), text)
  t.match(published('2026/02/03/sea.html'), /<h1>Sea<\/h1>/)
  write('_drafts/sea.md', text)
  t.equal(
    (await pat('POST', '/api/publish/blog/_drafts/sea.md')).statusCode,
    409,
    'an existing post is not replaced',
  )
  t.strictSame(readdirSync(join(site, '_drafts')), ['sea.md'])
})

t.test(
  'a draft of Jekyll is a draft again when the build fails, and when its publication is undone',
  needsJekyll,
  async (t) => {
    const { pat, write, published, site } = await jekyllSite(t)
    const marked = text.replace('title', 'published: false\ntitle')
    write('_drafts/sea.md', marked)
    write('_config.yml', 'a: [')
    t.equal((await pat('POST', '/api/publish/blog/_drafts/sea.md')).statusCode, 422)
    t.equal(readFileSync(join(site, '_drafts/sea.md'), 'utf8'), marked)
    t.notOk(existsSync(join(site, '_posts/2026-02-03-sea.md')))
    write('_config.yml', 'title: x\n')
    t.equal((await pat('POST', '/api/publish/blog/')).statusCode, 200)
    const done = await pat('POST', '/api/publish/blog/_drafts/sea.md')
    t.match(published('2026/02/03/sea.html'), /Sea/)
    const undone = await pat('POST', `/api/operations/${done.headers['x-operation']}/undo`)
    t.match(undone.json(), { left: [] }, undone.body)
    t.equal(readFileSync(join(site, '_drafts/sea.md'), 'utf8'), marked)
    t.equal(published('2026/02/03/sea.html'), undefined)
    t.ok(published('index.html'))
  },
)

t.test(
  'new posts, drafts and pages of Jekyll get the layout that the site has for them',
  needsJekyll,
  async (t) => {
    const { pat, site, clock, write } = await jekyllSite(t)
    write(
      '_config.yml',
      'collections: [recipes]\ndefaults:\n  - scope: {path: "", type: posts}\n    values: {layout: special}\n',
    )
    t.same((await pat('GET', '/api/site')).json().archetypes, ['post', 'draft', 'page', 'recipes'])
    const create = async (kind: string) =>
      (await pat('POST', '/api/site/pages', { payload: { kind, title: 'Über: uns' } })).json().path
    const day = new Date(clock.now())
    const two = (n: number) => String(n).padStart(2, '0')
    const date = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
    t.equal(await create('post'), `/blog/_posts/${date}-uber-uns.md`)
    t.equal(await create('draft'), '/blog/_drafts/uber-uns.md')
    t.equal(await create('page'), '/blog/uber-uns.md')
    t.equal(await create('recipes'), '/blog/_recipes/uber-uns.md')
    const made = (path: string) => readFileSync(join(site, path), 'utf8')
    t.match(made(`_posts/${date}-uber-uns.md`), /^---\ntitle: "Über: uns"\ndate: .*\n---\n\n$/)
    // The site has no layout `page`.
    t.match(made('uber-uns.md'), /^---\nlayout: default\ntitle: "Über: uns"\n---\n\n$/)
    const frontMatterOf = async (title: string, folder?: string) => {
      const payload = { kind: 'page', title, folder }
      const { path } = (await pat('POST', '/api/site/pages', { payload })).json()
      return made(path.slice('/blog/'.length))
    }
    write('_layouts/page.html', '{{ content }}')
    t.match(await frontMatterOf('one', 'sub'), /^---\nlayout: page\ntitle: one\n---/)
    rmSync(join(site, '_layouts'), { recursive: true })
    t.match(await frontMatterOf('two'), /^---\ntitle: two\n---/)
    write('_config.yml', 'theme: minima\n')
    t.match(await frontMatterOf('three'), /^---\nlayout: page\n/, 'a theme has layouts of its own')
  },
)

t.test('code in the website does not run with the rights of the server', needsJekyll, async (t) => {
  const { pat, write, site, base, published } = await jekyllSite(t)
  mkdirSync(join(site, '_plugins'))
  const evil = (name: string) => `File.write('${join(base, name)}', 'x') rescue nil\n`
  write('_plugins/evil.rb', evil('plugin'))
  write('Gemfile', evil('gemfile'))
  t.equal((await pat('POST', '/api/publish/blog/')).statusCode, 200)
  t.notOk(existsSync(join(base, 'plugin')))
  t.notOk(existsSync(join(base, 'gemfile')))
  t.ok(published('index.html'))
})

t.test('a preview of Jekyll shows drafts, and its links lead into the preview', needsJekyll, async (t) => {
  const { pat, write, app } = await jekyllSite(t)
  write('_drafts/sea.md', text)
  write(
    'index.md',
    '---\n---\n{% for post in site.posts %}[{{ post.title }}]({{ post.url | relative_url }}){% endfor %}\n',
  )
  const response = await pat('POST', '/api/site/preview')
  t.equal(response.statusCode, 200, response.body)
  const { url } = response.json()
  const page = await app.inject(url)
  t.match(page.body, new RegExp(`href="${url}.*sea.html"`))
  const [, link = ''] = /href="([^"]+)"/.exec(page.body) ?? []
  t.match((await app.inject(link)).body, /Waves/)
})

t.test('for Jekyll the public folder must be one that Jekyll ignores', needsJekyll, async (t) => {
  const { admin } = await jekyllSite(t)
  const put = (staticGen: object) => admin('PUT', '/api/settings', { payload: { staticGen } })
  t.equal((await put({ Public: '/blog/html' })).statusCode, 400)
  t.equal((await put({ Public: '/blog/_html' })).statusCode, 200)
  t.equal((await put({ Args: ['build', '--lsi'] })).statusCode, 200)
  t.equal((await put({ Args: ['serve'] })).statusCode, 400)
})

t.test('clients of File Browser 1 create pages of Jekyll with a header', needsJekyll, async (t) => {
  const { pat, site } = await jekyllSite(t)
  const create = async (path: string, archetype: string) =>
    (await pat('POST', `/api/resources/${path}`, { headers: { archetype } })).headers.location
  t.equal(await create('about.md', 'page'), '/files/blog/about.md')
  t.equal(await create('blog/_drafts/idea.md', 'draft'), '/files/blog/_drafts/idea.md')
  t.equal(await create('idea.md', 'draft'), undefined, 'an existing file is not replaced')
  t.ok(existsSync(join(site, '_drafts/idea.md')))
})
