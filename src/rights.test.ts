import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import type { Permissions, Rule } from '#contract/users.ts'
import { start } from './testing/start.ts'

/** An operation on files. Every new endpoint gets an entry here, and all tests below then cover it. */
interface Operation {
  what: string
  call: [method: string, url: string, rest?: Partial<InjectOptions>]
  /** The required permissions. */
  needs: (keyof Permissions)[]
  /** A permission that is sufficient instead of those. */
  alternative?: keyof Permissions
  /** The paths that the operation uses. A rule can deny each of them. */
  paths: string[]
  /** A request that the same user made before, with all permissions. */
  after?: Operation['call']
  /**
   * For operations on the content of a folder: paths of entries that are left out when a rule denies them, and a
   * pattern that matches each entry in the response.
   */
  leavesOut?: [path: string, shows: RegExp][]
}

const to = (path: string, rest: string) => `?destination=${encodeURIComponent(path)}&${rest}`

/** The requests of a resumable upload of one byte. */
const chunkRequest = (method: string, path: string, offset = 0): Operation['call'] => {
  const type = 'application/offset+octet-stream'
  const headers = { 'upload-length': '1', 'upload-offset': String(offset), 'content-type': type }
  return [method, `/api/tus${path}`, { headers, ...(method === 'PATCH' && { payload: 'N' }) }]
}

const operations: Operation[] = [
  {
    what: 'list a folder',
    call: ['GET', '/api/resources/docs/'],
    needs: [],
    paths: ['/docs'],
    leavesOut: [['/docs/a.txt', /a\.txt/]],
  },
  { what: 'get a file', call: ['GET', '/api/resources/docs/a.txt'], needs: [], paths: ['/docs/a.txt'] },
  {
    what: 'list a whole tree',
    call: ['GET', '/api/resources/recursive/docs'],
    needs: [],
    paths: ['/docs'],
    leavesOut: [
      ['/docs/a.txt', /a\.txt/],
      ['/docs/sub', /b\.txt/],
    ],
  },
  {
    what: 'search',
    call: ['GET', '/api/search/docs?query=txt'],
    needs: [],
    paths: ['/docs'],
    leavesOut: [
      ['/docs/a.txt', /a\.txt/],
      ['/docs/sub', /b\.txt/],
    ],
  },
  {
    what: 'get the text of a file as bytes',
    call: ['GET', '/api/resources/docs/a.txt', { headers: { 'x-encoding': 'true' } }],
    needs: ['download'],
    alternative: 'modify',
    paths: ['/docs/a.txt'],
  },
  { what: 'get the disk usage', call: ['GET', '/api/usage/docs'], needs: [], paths: ['/docs'] },
  { what: 'get the rights', call: ['GET', '/api/rights/docs'], needs: [], paths: ['/docs'] },
  {
    what: 'download a file',
    call: ['GET', '/api/raw/docs/a.txt'],
    needs: ['download'],
    paths: ['/docs/a.txt'],
  },
  {
    what: 'download a part of a file',
    call: ['GET', '/api/raw/docs/a.txt?inline=true', { headers: { range: 'bytes=0-0' } }],
    needs: ['download'],
    paths: ['/docs/a.txt'],
  },
  {
    what: 'get the headers of a download',
    call: ['HEAD', '/api/raw/docs/a.txt'],
    needs: ['download'],
    paths: ['/docs/a.txt'],
  },
  {
    what: 'download a folder',
    call: ['GET', '/api/raw/docs?algo=tar'],
    needs: ['download'],
    paths: ['/docs'],
    leavesOut: [
      ['/docs/a.txt', /a\.txt/],
      ['/docs/sub', /b\.txt/],
    ],
  },
  {
    what: 'get a checksum',
    call: ['GET', '/api/resources/docs/a.txt?checksum=md5'],
    needs: ['download'],
    alternative: 'modify',
    paths: ['/docs/a.txt'],
  },
  {
    what: 'get subtitles',
    call: ['GET', '/api/subtitle/docs/s.srt'],
    needs: ['download'],
    paths: ['/docs/s.srt'],
  },
  {
    what: 'get the metadata of a folder',
    call: ['GET', '/api/metadata/docs?fields=owner'],
    needs: ['download'],
    paths: ['/docs'],
    leavesOut: [
      ['/docs/a.txt', /a\.txt/],
      ['/docs/sub', /sub/],
    ],
  },
  {
    what: 'get the metadata of a picture',
    call: ['GET', '/api/metadata/docs/p.jpg'],
    needs: ['download'],
    paths: ['/docs/p.jpg'],
  },
  {
    what: 'upload a new file',
    call: ['POST', '/api/resources/docs/new.txt', { payload: 'N' }],
    needs: ['create'],
    paths: ['/docs/new.txt'],
  },
  {
    what: 'rotate a picture',
    call: ['POST', '/api/rotate/docs/p.jpg?by=90'],
    needs: ['modify'],
    paths: ['/docs/p.jpg'],
  },
  {
    what: 'upload over a file',
    call: ['POST', '/api/resources/docs/a.txt?override=true', { payload: 'N' }],
    needs: ['create', 'modify'],
    paths: ['/docs/a.txt'],
  },
  {
    what: 'start a resumable upload',
    call: chunkRequest('POST', '/docs/new.txt'),
    needs: ['create'],
    paths: ['/docs/new.txt'],
  },
  {
    what: 'start a resumable upload over a file',
    call: chunkRequest('POST', '/docs/a.txt?override=true'),
    needs: ['create', 'modify'],
    paths: ['/docs/a.txt'],
  },
  {
    what: 'get the progress of an upload',
    after: chunkRequest('POST', '/docs/new.txt'),
    call: chunkRequest('HEAD', '/docs/new.txt'),
    needs: ['create'],
    paths: ['/docs/new.txt'],
  },
  {
    what: 'send the last chunk of an upload',
    after: chunkRequest('POST', '/docs/new.txt'),
    call: chunkRequest('PATCH', '/docs/new.txt'),
    needs: ['create'],
    paths: ['/docs/new.txt'],
  },
  {
    what: 'send the last chunk of an upload over a file',
    after: chunkRequest('POST', '/docs/a.txt?override=true'),
    call: chunkRequest('PATCH', '/docs/a.txt'),
    needs: ['create', 'modify'],
    paths: ['/docs/a.txt'],
  },
  {
    what: 'cancel an upload',
    after: chunkRequest('POST', '/docs/new.txt'),
    call: chunkRequest('DELETE', '/docs/new.txt'),
    // Cancelling the user's own upload removes nothing that existed before.
    needs: [],
    paths: ['/docs/new.txt'],
  },
  {
    what: 'create a folder',
    call: ['POST', '/api/resources/docs/new/'],
    needs: ['create'],
    paths: ['/docs/new'],
  },
  {
    what: 'save a file',
    call: ['PUT', '/api/resources/docs/a.txt', { payload: 'N' }],
    needs: ['modify'],
    paths: ['/docs/a.txt'],
  },
  {
    what: 'save a new file',
    call: ['PUT', '/api/resources/docs/new.txt', { payload: 'N' }],
    needs: ['modify', 'create'],
    paths: ['/docs/new.txt'],
  },
  {
    what: 'delete a file',
    call: ['DELETE', '/api/resources/docs/a.txt'],
    needs: ['delete'],
    paths: ['/docs/a.txt'],
  },
  {
    what: 'delete a folder',
    call: ['DELETE', '/api/resources/docs/'],
    needs: ['delete'],
    paths: ['/docs', '/docs/a.txt', '/docs/sub/b.txt'],
  },
  {
    what: 'rename a file',
    call: ['PATCH', `/api/resources/docs/a.txt${to('/out/new.txt', 'action=rename')}`],
    needs: ['rename'],
    paths: ['/docs/a.txt', '/out/new.txt'],
  },
  {
    what: 'rename a folder',
    call: ['PATCH', `/api/resources/docs${to('/out/docs', 'action=rename')}`],
    needs: ['rename'],
    paths: ['/docs', '/docs/sub/b.txt', '/out/docs', '/out/docs/sub/b.txt'],
  },
  {
    what: 'rename over a file',
    call: ['PATCH', `/api/resources/docs/a.txt${to('/out/o.txt', 'action=rename&override=true')}`],
    needs: ['rename', 'modify'],
    paths: ['/docs/a.txt', '/out/o.txt'],
  },
  {
    what: 'copy a file',
    call: ['PATCH', `/api/resources/docs/a.txt${to('/out/new.txt', 'action=copy')}`],
    needs: ['create'],
    paths: ['/docs/a.txt', '/out/new.txt'],
  },
  {
    what: 'copy a folder',
    call: ['PATCH', `/api/resources/docs${to('/out/docs', 'action=copy')}`],
    needs: ['create'],
    paths: ['/docs', '/docs/sub/b.txt', '/out/docs', '/out/docs/sub/b.txt'],
  },
  {
    what: 'copy over a file',
    call: ['PATCH', `/api/resources/docs/a.txt${to('/out/o.txt', 'action=copy&override=true')}`],
    needs: ['create', 'modify'],
    paths: ['/docs/a.txt', '/out/o.txt'],
  },
  {
    what: 'create a share',
    call: ['POST', '/api/share/docs/a.txt'],
    needs: ['share', 'download'],
    paths: ['/docs/a.txt'],
  },
  { what: 'list shares', call: ['GET', '/api/share/docs/a.txt'], needs: ['share', 'download'], paths: [] },
]

const files = {
  'docs/a.txt': 'A',
  'docs/p.jpg': Buffer.from('ffd8ffc0000b080001000101011100ffda0008010100003f0000ffd9', 'hex'),
  'docs/s.srt': '1\n00:00:01,000 --> 00:00:02,000\nS\n',
  'docs/sub/b.txt': 'B',
}
const names = ['execute', 'create', 'rename', 'modify', 'delete', 'share', 'download'] as const

/** Users with different permissions, a tree that is created anew for each operation, and its content as text. */
async function startApp(t: Test) {
  const perm = Object.fromEntries(names.map((name) => [name, true]))
  const nobody = Object.fromEntries(names.map((name) => [name, false]))
  const people = {
    all: { perm },
    nothing: { perm: nobody },
    ...Object.fromEntries(names.map((name) => [`no-${name}`, { perm: { ...perm, [name]: false } }])),
    ...Object.fromEntries(names.map((name) => [`only-${name}`, { perm: { ...nobody, [name]: true } }])),
  }
  const started = await start(t, { people })
  const { root, document, as } = started
  const callers = new Map<string, Awaited<ReturnType<typeof as>>>()
  for (const name of Object.keys(people)) callers.set(name, await as(name))

  const tree = () =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .map(
        (name) =>
          `${name}: ${statSync(join(root, name)).isFile() ? readFileSync(join(root, name)) : 'folder'}`,
      )

  /** Runs `work` with all permissions for the user and without any rules. */
  async function withAllPermissions(caller: string, work: () => Promise<unknown> | undefined) {
    const { rules } = document.data.settings
    const id = Object.values(document.data.users).find(({ username }) => username === caller)?.id ?? 0
    const own = document.data.users[id]
    const setRights = (rights: object, global: Rule[]) =>
      document.update((draft) => {
        draft.settings.rules = global
        Object.assign(draft.users[id] ?? {}, rights)
      })
    await setRights({ perm: { ...own?.perm, ...perm }, rules: [] }, [])
    await work()
    await setRights({ perm: own?.perm, rules: own?.rules }, rules)
  }

  /** Runs an operation on a new tree, and returns whether anything changed. */
  async function attempt(caller: string, { call: [method, url, rest], after }: Operation) {
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
    mkdirSync(join(root, 'docs/sub'), { recursive: true })
    mkdirSync(join(root, 'out'))
    for (const [name, content] of Object.entries({ ...files, 'out/o.txt': 'O' }))
      writeFileSync(join(root, name), content)
    await document.update((draft) => {
      draft.shares = {}
    })
    // An upload of the last attempt still counts as running, and would not be replaced.
    const [upload] = /^\/api\/tus[^?]+/.exec(url) ?? []
    if (upload) await withAllPermissions(caller, () => callers.get(caller)?.('DELETE', upload))
    if (after) await withAllPermissions(caller, () => callers.get(caller)?.(...after))
    const before = tree()
    const reply = await callers.get(caller)?.(method, url, rest)
    const isSame =
      JSON.stringify(tree()) === JSON.stringify(before) && Object.keys(document.data.shares).length === 0
    return { status: reply?.statusCode ?? 0, body: reply?.body ?? '', isSame }
  }

  /** Sets the global rules and the rules of every user. */
  const setRules = (global: Rule[], own: Rule[]) =>
    document.update((draft) => {
      draft.settings.rules = global
      for (const user of Object.values(draft.users)) user.rules = own
    })

  return { ...started, attempt, setRules }
}

const isSuccess = (status: number) => status >= 200 && status < 300

t.test('each operation needs exactly its permissions, and a refused operation changes nothing', async (t) => {
  const { attempt } = await startApp(t)
  for (const operation of operations) {
    const { what, needs, alternative } = operation
    const all = await attempt('all', operation)
    t.ok(isSuccess(all.status), `all permissions are enough to ${what}: ${all.status} ${all.body}`)
    for (const name of names) {
      const reply = await attempt(`no-${name}`, operation)
      if (needs.includes(name) && !alternative) {
        t.match(reply, { status: 403, isSame: true }, `no user without ${name} can ${what}: ${reply.status}`)
        t.notMatch(reply.body, /"content"|checksums/)
      } else
        t.ok(isSuccess(reply.status), `a user without ${name} can ${what}: ${reply.status} ${reply.body}`)
      const alone = await attempt(`only-${name}`, operation)
      const isEnough = name === alternative || needs.every((need) => need === name)
      t.equal(isSuccess(alone.status), isEnough, `only ${name}, ${what}: ${alone.status}`)
      t.ok(isEnough || alone.isSame)
    }
    const none = await attempt('nothing', operation)
    t.equal(isSuccess(none.status), needs.length === 0, `no permission, ${what}: ${none.status}`)
  }
})

t.test('the text of a file needs the permission to modify or to download', async (t) => {
  const { attempt } = await startApp(t)
  const getFile = operations.find(({ what }) => what === 'get a file') as Operation
  for (const caller of ['all', 'no-download', 'no-modify', 'only-modify', 'only-download'])
    t.match((await attempt(caller, getFile)).body, /"content":"A"/, caller)
  for (const caller of ['nothing', 'only-create'])
    t.notMatch((await attempt(caller, getFile)).body, /content/, caller)
})

const plain = (path: string, allow = false): Rule => ({ allow, path, regex: false, regexp: null })
const pattern = (raw: string, allow = false): Rule => ({ allow, path: '', regex: true, regexp: { raw } })
const quoted = (path: string) => path.replace(/[.]/g, '\\.')

/** Every form of a rule that denies a path. */
const denials: [form: string, rules: (path: string) => [global: Rule[], own: Rule[]]][] = [
  ['its path', (path) => [[], [plain(path)]]],
  ['its path, as a global rule', (path) => [[plain(path)], []]],
  ['its path with a slash at its end', (path) => [[], [plain(`${path}/`)]]],
  ['its path, not normalized', (path) => [[], [plain(`//x/..${path}`)]]],
  ['the root', () => [[plain('/')], []]],
  ['a pattern of its path', (path) => [[], [pattern(`^${quoted(path)}$`)]]],
  ['a pattern anywhere in its path', (path) => [[pattern(quoted(path.slice(-4)))], []]],
  ['a pattern that ignores case', (path) => [[], [pattern(`(?i)${quoted(path.toUpperCase())}`)]]],
  ['a pattern with syntax that only RE2 has', (path) => [[], [pattern(`\\A(?P<whole>${quoted(path)})\\z`)]]],
  ['a later rule over one that allows it', (path) => [[plain(path, true)], [plain('/', true), plain(path)]]],
  ['an invalid pattern', () => [[], [pattern('[')]]],
]

t.test(
  'an operation on a denied path is refused for every form of the rule, and changes nothing',
  async (t) => {
    const { attempt, setRules } = await startApp(t)
    for (const operation of operations) {
      for (const usedPath of operation.paths) {
        for (const [form, rules] of denials) {
          await setRules(...rules(usedPath))
          const reply = await attempt('all', operation)
          t.match(
            reply,
            { status: 403, isSame: true },
            `${operation.what}: ${usedPath} denied by ${form}: ${reply.status}`,
          )
        }
      }
    }
  },
)

t.test('leaves out denied entries of a folder', async (t) => {
  const { attempt, setRules } = await startApp(t)
  for (const operation of operations) {
    for (const [path, shows] of operation.leavesOut ?? []) {
      await setRules([], [])
      t.match((await attempt('all', operation)).body, shows, operation.what)
      for (const [form, rules] of denials.filter(([form]) => !/root|invalid/.test(form))) {
        await setRules(...rules(path))
        const reply = await attempt('all', operation)
        t.equal(reply.status, 200)
        t.notMatch(reply.body, shows, `${operation.what}: ${path} denied by ${form}`)
      }
    }
  }
})

/** Rules that look similar to a path but do not deny it. */
const allowances: [form: string, rules: (path: string) => [global: Rule[], own: Rule[]]][] = [
  ['a name with the same beginning', (path) => [[plain(path.slice(0, -1))], [plain(`${path}x`)]]],
  ['another case', (path) => [[plain(path.toUpperCase())], [pattern(quoted(path.toUpperCase()))]]],
  ['a path without a leading slash', (path) => [[plain(path.slice(1))], []]],
  ["a global rule that the user's own rule overrides", () => [[plain('/')], [plain('/', true)]]],
  ['a rule that a later rule overrides', () => [[], [plain('/'), pattern('.', true)]]],
]

t.test('an operation is allowed when no rule denies its paths', async (t) => {
  const { attempt, setRules } = await startApp(t)
  for (const operation of operations) {
    for (const usedPath of operation.paths) {
      for (const [form, rules] of allowances) {
        await setRules(...rules(usedPath))
        const reply = await attempt('all', operation)
        t.ok(
          isSuccess(reply.status),
          `${operation.what}: ${usedPath}, ${form}: ${reply.status} ${reply.body}`,
        )
      }
    }
  }
})

t.test('rules apply to administrators too', async (t) => {
  const { as, setRules, root } = await startApp(t)
  mkdirSync(join(root, 'docs'))
  const admin = await as('admin')
  await setRules([plain('/docs')], [])
  t.equal((await admin('GET', '/api/resources/docs')).statusCode, 403)
  t.equal((await admin('DELETE', '/api/resources/docs')).statusCode, 403)
})

t.test('a link whose target a rule denies is hidden, and can be neither changed nor replaced', async (t) => {
  const { as, setRules, root } = await startApp(t)
  const all = await as('all')
  mkdirSync(join(root, 'docs/sub'), { recursive: true })
  writeFileSync(join(root, 'docs/sub/s.txt'), 'S')
  writeFileSync(join(root, 'a.txt'), 'A')
  const links = { file: 'docs/sub/s.txt', folder: 'docs/sub', chain: 'file', broken: 'none', out: '..' }
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(root, name))
  const attempts = (name: string): [method: string, url: string][] => [
    ['DELETE', `/api/resources/${name}`],
    ['DELETE', `/api/resources/${name}?permanent=true`],
    ['PATCH', `/api/resources/${name}${to('/mine', 'action=rename')}`],
    ['PATCH', `/api/resources/${name}${to('/mine', 'action=copy')}`],
    ['PATCH', `/api/resources/a.txt${to(`/${name}`, 'action=rename&override=true')}`],
    ['PATCH', `/api/resources/a.txt${to(`/${name}`, 'action=copy&override=true')}`],
    ['POST', `/api/resources/${name}?override=true`],
    ['PUT', `/api/resources/${name}`],
    ['PUT', `/api/starred/${name}`],
  ]
  for (const [form, rules] of denials.filter(([form]) => !/root|invalid|anywhere/.test(form))) {
    await setRules(...rules('/docs/sub'))
    // A pattern of the folder alone allows what is in it.
    const hidden = /of its path|only RE2/.test(form) ? ['folder'] : ['file', 'folder', 'chain']
    const listed = (await all('GET', '/api/resources/'))
      .json()
      .items.map(({ name }: { name: string }) => name)
    const shown = ['a.txt', 'docs', ...Object.keys(links)].filter((name) => !hidden.includes(name))
    t.strictSame(listed.sort(), shown.sort(), form)
    for (const name of hidden) {
      for (const [method, url] of attempts(name))
        t.equal((await all(method, url)).statusCode, 403, `${method} ${url}, denied by ${form}`)
      const deleted = await all('POST', '/api/delete/', { payload: { paths: [name] } })
      t.match(deleted.json(), [{ path: name, status: 403 }], `${name} among others, denied by ${form}`)
      t.ok(lstatSync(join(root, name)).isSymbolicLink())
    }
  }
  t.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'A')
  for (const name of ['broken', 'out'])
    t.equal((await all('DELETE', `/api/resources/${name}`)).statusCode, 200)
  await setRules([], [])
  t.equal((await all('DELETE', '/api/resources/file')).statusCode, 200)
  t.equal((await all('DELETE', '/api/resources/folder')).statusCode, 200)
  t.equal(readFileSync(join(root, 'docs/sub/s.txt'), 'utf8'), 'S', 'the target stays')
})
