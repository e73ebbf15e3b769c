import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import type { Permissions, Rule } from '#contract/users.ts'
import { start } from './testing/start.ts'

/** Something that may be done with files. New calls get a line here and with it every test below. */
interface Deed {
  what: string
  call: [method: string, url: string, rest?: Partial<InjectOptions>]
  /** The permissions without which it is refused. */
  needs: (keyof Permissions)[]
  /** A permission that does as well as those. */
  instead?: keyof Permissions
  /** The paths it is about, each of which a rule can deny. */
  ends: string[]
  /** What the same person has done before, while they still might. */
  after?: Deed['call']
  /** Is about what lies below a folder: entries that a rule denies are left out, and named by this in the answer. */
  leavesOut?: [path: string, shows: RegExp][]
}

const to = (path: string, rest: string) => `?destination=${encodeURIComponent(path)}&${rest}`

/** The calls of an upload of one byte in pieces. */
const piece = (method: string, path: string, offset = 0): Deed['call'] => {
  const type = 'application/offset+octet-stream'
  const headers = { 'upload-length': '1', 'upload-offset': String(offset), 'content-type': type }
  return [method, `/api/tus${path}`, { headers, ...(method === 'PATCH' && { payload: 'N' }) }]
}

const deeds: Deed[] = [
  {
    what: 'list a folder',
    call: ['GET', '/api/resources/docs/'],
    needs: [],
    ends: ['/docs'],
    leavesOut: [['/docs/a.txt', /a\.txt/]],
  },
  { what: 'look at a file', call: ['GET', '/api/resources/docs/a.txt'], needs: [], ends: ['/docs/a.txt'] },
  {
    what: 'list a whole tree',
    call: ['GET', '/api/resources/recursive/docs'],
    needs: [],
    ends: ['/docs'],
    leavesOut: [
      ['/docs/a.txt', /a\.txt/],
      ['/docs/sub', /b\.txt/],
    ],
  },
  {
    what: 'search',
    call: ['GET', '/api/search/docs?query=txt'],
    needs: [],
    ends: ['/docs'],
    leavesOut: [
      ['/docs/a.txt', /a\.txt/],
      ['/docs/sub', /b\.txt/],
    ],
  },
  {
    what: 'get the text of a file as bytes',
    call: ['GET', '/api/resources/docs/a.txt', { headers: { 'x-encoding': 'true' } }],
    needs: ['download'],
    instead: 'modify',
    ends: ['/docs/a.txt'],
  },
  { what: 'ask for the room on a disk', call: ['GET', '/api/usage/docs'], needs: [], ends: ['/docs'] },
  {
    what: 'download a file',
    call: ['GET', '/api/raw/docs/a.txt'],
    needs: ['download'],
    ends: ['/docs/a.txt'],
  },
  {
    what: 'download a part of a file',
    call: ['GET', '/api/raw/docs/a.txt?inline=true', { headers: { range: 'bytes=0-0' } }],
    needs: ['download'],
    ends: ['/docs/a.txt'],
  },
  {
    what: 'ask for the headers of a download',
    call: ['HEAD', '/api/raw/docs/a.txt'],
    needs: ['download'],
    ends: ['/docs/a.txt'],
  },
  {
    what: 'download a folder',
    call: ['GET', '/api/raw/docs?algo=tar'],
    needs: ['download'],
    ends: ['/docs'],
    leavesOut: [
      ['/docs/a.txt', /a\.txt/],
      ['/docs/sub', /b\.txt/],
    ],
  },
  {
    what: 'ask for a checksum',
    call: ['GET', '/api/resources/docs/a.txt?checksum=md5'],
    needs: ['download'],
    instead: 'modify',
    ends: ['/docs/a.txt'],
  },
  {
    what: 'ask for subtitles',
    call: ['GET', '/api/subtitle/docs/s.srt'],
    needs: ['download'],
    ends: ['/docs/s.srt'],
  },
  {
    what: 'upload a new file',
    call: ['POST', '/api/resources/docs/new.txt', { payload: 'N' }],
    needs: ['create'],
    ends: ['/docs/new.txt'],
  },
  {
    what: 'upload over a file',
    call: ['POST', '/api/resources/docs/a.txt?override=true', { payload: 'N' }],
    needs: ['create', 'modify'],
    ends: ['/docs/a.txt'],
  },
  {
    what: 'begin an upload in pieces',
    call: piece('POST', '/docs/new.txt'),
    needs: ['create'],
    ends: ['/docs/new.txt'],
  },
  {
    what: 'begin an upload in pieces over a file',
    call: piece('POST', '/docs/a.txt?override=true'),
    needs: ['create', 'modify'],
    ends: ['/docs/a.txt'],
  },
  {
    what: 'ask how far an upload is',
    after: piece('POST', '/docs/new.txt'),
    call: piece('HEAD', '/docs/new.txt'),
    needs: ['create'],
    ends: ['/docs/new.txt'],
  },
  {
    what: 'send the last piece of an upload',
    after: piece('POST', '/docs/new.txt'),
    call: piece('PATCH', '/docs/new.txt'),
    needs: ['create'],
    ends: ['/docs/new.txt'],
  },
  {
    what: 'send the last piece of an upload over a file',
    after: piece('POST', '/docs/a.txt?override=true'),
    call: piece('PATCH', '/docs/a.txt'),
    needs: ['create', 'modify'],
    ends: ['/docs/a.txt'],
  },
  {
    what: 'give an upload up',
    after: piece('POST', '/docs/new.txt'),
    call: piece('DELETE', '/docs/new.txt'),
    // It is the person's own, and nothing that was there goes.
    needs: [],
    ends: ['/docs/new.txt'],
  },
  {
    what: 'make a folder',
    call: ['POST', '/api/resources/docs/new/'],
    needs: ['create'],
    ends: ['/docs/new'],
  },
  {
    what: 'save a file',
    call: ['PUT', '/api/resources/docs/a.txt', { payload: 'N' }],
    needs: ['modify'],
    ends: ['/docs/a.txt'],
  },
  {
    what: 'save a new file',
    call: ['PUT', '/api/resources/docs/new.txt', { payload: 'N' }],
    needs: ['modify', 'create'],
    ends: ['/docs/new.txt'],
  },
  {
    what: 'delete a file',
    call: ['DELETE', '/api/resources/docs/a.txt'],
    needs: ['delete'],
    ends: ['/docs/a.txt'],
  },
  {
    what: 'delete a folder',
    call: ['DELETE', '/api/resources/docs/'],
    needs: ['delete'],
    ends: ['/docs', '/docs/a.txt', '/docs/sub/b.txt'],
  },
  {
    what: 'rename a file',
    call: ['PATCH', `/api/resources/docs/a.txt${to('/out/new.txt', 'action=rename')}`],
    needs: ['rename'],
    ends: ['/docs/a.txt', '/out/new.txt'],
  },
  {
    what: 'rename a folder',
    call: ['PATCH', `/api/resources/docs${to('/out/docs', 'action=rename')}`],
    needs: ['rename'],
    ends: ['/docs', '/docs/sub/b.txt', '/out/docs', '/out/docs/sub/b.txt'],
  },
  {
    what: 'rename over a file',
    call: ['PATCH', `/api/resources/docs/a.txt${to('/out/o.txt', 'action=rename&override=true')}`],
    needs: ['rename', 'modify'],
    ends: ['/docs/a.txt', '/out/o.txt'],
  },
  {
    what: 'copy a file',
    call: ['PATCH', `/api/resources/docs/a.txt${to('/out/new.txt', 'action=copy')}`],
    needs: ['create'],
    ends: ['/docs/a.txt', '/out/new.txt'],
  },
  {
    what: 'copy a folder',
    call: ['PATCH', `/api/resources/docs${to('/out/docs', 'action=copy')}`],
    needs: ['create'],
    ends: ['/docs', '/docs/sub/b.txt', '/out/docs', '/out/docs/sub/b.txt'],
  },
  {
    what: 'copy over a file',
    call: ['PATCH', `/api/resources/docs/a.txt${to('/out/o.txt', 'action=copy&override=true')}`],
    needs: ['create', 'modify'],
    ends: ['/docs/a.txt', '/out/o.txt'],
  },
  {
    what: 'make a link',
    call: ['POST', '/api/share/docs/a.txt'],
    needs: ['share', 'download'],
    ends: ['/docs/a.txt'],
  },
  { what: 'see links', call: ['GET', '/api/share/docs/a.txt'], needs: ['share', 'download'], ends: [] },
]

const files = {
  'docs/a.txt': 'A',
  'docs/s.srt': '1\n00:00:01,000 --> 00:00:02,000\nS\n',
  'docs/sub/b.txt': 'B',
}
const names = ['execute', 'create', 'rename', 'modify', 'delete', 'share', 'download'] as const

/** Everybody with some permissions, a tree that is made anew before each deed, and its content as text. */
async function world(t: Test) {
  const perm = Object.fromEntries(names.map((name) => [name, true]))
  const nobody = Object.fromEntries(names.map((name) => [name, false]))
  const people = {
    all: { perm },
    nothing: { perm: nobody },
    ...Object.fromEntries(names.map((name) => [`no-${name}`, { perm: { ...perm, [name]: false } }])),
    ...Object.fromEntries(names.map((name) => [`only-${name}`, { perm: { ...nobody, [name]: true } }])),
  }
  const started = await start(t, { people })
  const { root, store, as } = started
  const callers = new Map<string, Awaited<ReturnType<typeof as>>>()
  for (const name of Object.keys(people)) callers.set(name, await as(name))

  const tree = () =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .map(
        (name) =>
          `${name}: ${statSync(join(root, name)).isFile() ? readFileSync(join(root, name)) : 'folder'}`,
      )

  /** Lets somebody do something as if there were no rules and they had every permission. */
  async function inFullRight(who: string, work: () => Promise<unknown> | undefined) {
    const { rules } = store.data.settings
    const id = Object.values(store.data.users).find(({ username }) => username === who)?.id ?? 0
    const own = store.data.users[id]
    const become = (rights: object, global: Rule[]) =>
      store.change((draft) => {
        draft.settings.rules = global
        Object.assign(draft.users[id] ?? {}, rights)
      })
    await become({ perm: { ...own?.perm, ...perm }, rules: [] }, [])
    await work()
    await become({ perm: own?.perm, rules: own?.rules }, rules)
  }

  /** Lets somebody do something to a fresh tree, and tells whether anything changed. */
  async function attempt(who: string, { call: [method, url, rest], after }: Deed) {
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
    mkdirSync(join(root, 'docs/sub'), { recursive: true })
    mkdirSync(join(root, 'out'))
    for (const [name, content] of Object.entries({ ...files, 'out/o.txt': 'O' }))
      writeFileSync(join(root, name), content)
    await store.change((draft) => {
      draft.shares = {}
    })
    if (after) await inFullRight(who, () => callers.get(who)?.(...after))
    const before = tree()
    const reply = await callers.get(who)?.(method, url, rest)
    const isSame =
      JSON.stringify(tree()) === JSON.stringify(before) && Object.keys(store.data.shares).length === 0
    return { status: reply?.statusCode ?? 0, body: reply?.body ?? '', isSame }
  }

  /** Gives everybody, and the one who may do everything, these rules. */
  const rule = (global: Rule[], own: Rule[]) =>
    store.change((draft) => {
      draft.settings.rules = global
      for (const user of Object.values(draft.users)) user.rules = own
    })

  return { ...started, attempt, rule }
}

const isDone = (status: number) => status >= 200 && status < 300

t.test('each deed needs its permissions, and no other; refused means unchanged', async (t) => {
  const { attempt } = await world(t)
  for (const deed of deeds) {
    const { what, needs, instead } = deed
    const all = await attempt('all', deed)
    t.ok(isDone(all.status), `with all permissions one may ${what}: ${all.status} ${all.body}`)
    for (const name of names) {
      const reply = await attempt(`no-${name}`, deed)
      if (needs.includes(name) && !instead) {
        t.match(reply, { status: 403, isSame: true }, `without ${name} nobody may ${what}: ${reply.status}`)
        t.notMatch(reply.body, /"content"|checksums/)
      } else t.ok(isDone(reply.status), `without ${name} one may ${what}: ${reply.status} ${reply.body}`)
      const alone = await attempt(`only-${name}`, deed)
      const isEnough = name === instead || needs.every((need) => need === name)
      t.equal(isDone(alone.status), isEnough, `with ${name} alone, ${what}: ${alone.status}`)
      t.ok(isEnough || alone.isSame)
    }
    const none = await attempt('nothing', deed)
    t.equal(isDone(none.status), needs.length === 0, `with no permission, ${what}: ${none.status}`)
  }
})

t.test(
  'the text of a file belongs to editing: who may change it gets it without the right to download',
  async (t) => {
    const { attempt } = await world(t)
    const look = deeds.find(({ what }) => what === 'look at a file') as Deed
    for (const who of ['all', 'no-download', 'no-modify', 'only-modify', 'only-download'])
      t.match((await attempt(who, look)).body, /"content":"A"/, who)
    for (const who of ['nothing', 'only-create']) t.notMatch((await attempt(who, look)).body, /content/, who)
  },
)

const plain = (path: string, allow = false): Rule => ({ allow, path, regex: false, regexp: null })
const pattern = (raw: string, allow = false): Rule => ({ allow, path: '', regex: true, regexp: { raw } })
const quoted = (path: string) => path.replace(/[.]/g, '\\.')

/** Every form in which a rule can deny a path. */
const denials: [form: string, rules: (path: string) => [global: Rule[], own: Rule[]]][] = [
  ['its path', (path) => [[], [plain(path)]]],
  ['its path, for everybody', (path) => [[plain(path)], []]],
  ['its path with a slash at its end', (path) => [[], [plain(`${path}/`)]]],
  ['its path not in normal form', (path) => [[], [plain(`//x/..${path}`)]]],
  ['the root', () => [[plain('/')], []]],
  ['a pattern of its path', (path) => [[], [pattern(`^${quoted(path)}$`)]]],
  ['a pattern anywhere in its path', (path) => [[pattern(quoted(path.slice(-4)))], []]],
  ['a pattern that takes no notice of case', (path) => [[], [pattern(`(?i)${quoted(path.toUpperCase())}`)]]],
  ['a pattern that only RE2 knows', (path) => [[], [pattern(`\\A(?P<whole>${quoted(path)})\\z`)]]],
  ['a later rule over one that allows it', (path) => [[plain(path, true)], [plain('/', true), plain(path)]]],
  ['a pattern that is none', () => [[], [pattern('[')]]],
]

t.test('whatever a rule denies, at either end, is refused in every form, and nothing changes', async (t) => {
  const { attempt, rule } = await world(t)
  for (const deed of deeds) {
    for (const end of deed.ends) {
      for (const [form, rules] of denials) {
        await rule(...rules(end))
        const reply = await attempt('all', deed)
        t.match(
          reply,
          { status: 403, isSame: true },
          `${deed.what}: ${end} denied by ${form}: ${reply.status}`,
        )
      }
    }
  }
})

t.test('what lies below a folder and is denied is left out', async (t) => {
  const { attempt, rule } = await world(t)
  for (const deed of deeds) {
    for (const [path, shows] of deed.leavesOut ?? []) {
      await rule([], [])
      t.match((await attempt('all', deed)).body, shows, deed.what)
      for (const [form, rules] of denials.filter(([form]) => !/root|is none/.test(form))) {
        await rule(...rules(path))
        const reply = await attempt('all', deed)
        t.equal(reply.status, 200)
        t.notMatch(reply.body, shows, `${deed.what}: ${path} denied by ${form}`)
      }
    }
  }
})

/** Rules that do not deny a path, however near they come. */
const permissions: [form: string, rules: (path: string) => [global: Rule[], own: Rule[]]][] = [
  ['a name that only begins alike', (path) => [[plain(path.slice(0, -1))], [plain(`${path}x`)]]],
  ['another case', (path) => [[plain(path.toUpperCase())], [pattern(quoted(path.toUpperCase()))]]],
  ['a path without a slash at its beginning', (path) => [[plain(path.slice(1))], []]],
  ['a denial of everybody that an own rule lifts', () => [[plain('/')], [plain('/', true)]]],
  ['a denial that a later rule lifts', () => [[], [plain('/'), pattern('.', true)]]],
]

t.test('what no rule denies in the end may be done', async (t) => {
  const { attempt, rule } = await world(t)
  for (const deed of deeds) {
    for (const end of deed.ends) {
      for (const [form, rules] of permissions) {
        await rule(...rules(end))
        const reply = await attempt('all', deed)
        t.ok(isDone(reply.status), `${deed.what}: ${end}, ${form}: ${reply.status} ${reply.body}`)
      }
    }
  }
})

t.test('rules bind administrators as well', async (t) => {
  const { as, rule, root } = await world(t)
  mkdirSync(join(root, 'docs'))
  const admin = await as('admin')
  await rule([plain('/docs')], [])
  t.equal((await admin('GET', '/api/resources/docs')).statusCode, 403)
  t.equal((await admin('DELETE', '/api/resources/docs')).statusCode, 403)
})
