import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, realpath, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Item } from '#contract/resources.ts'
import type { Rule, Sorting } from '#contract/users.ts'
import { openJail } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { childOf, decodePath, rootPath, temporaryName } from '#src/files/paths/user-path.ts'
import { createJsonWriter } from '#src/http/list-json.ts'
import { rounds } from '#src/testing/long.ts'
import { hostileNames } from '#src/testing/names.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { type ListStart, listFolder } from './list-folder.ts'
import type { ListTask } from './list-task.ts'

const sortings: Sorting[] = (['name', 'size', 'modified'] as const).flatMap((by) => [
  { by, asc: false },
  { by, asc: true },
])

const free: Pick<Jail, 'allows' | 'secret'> = { allows: () => true, secret: [] }

/** Lists a folder of `root`. */
async function list(root: string, path = '/', rest: Partial<ListTask> = {}) {
  const jail = await openJail(root, rootPath, free)
  const real = await realpath(root + path)
  const task: ListTask = {
    address: real,
    real,
    root: jail.root,
    secret: [],
    path,
    rules: [],
    hideDotfiles: false,
    sorting: { by: 'name', asc: false },
    page: '/files',
    ...rest,
  }
  const result = listFolder(task, createJsonWriter)
  const items: Item[] = JSON.parse(`[${new TextDecoder('utf-8', { fatal: true }).decode(result.items)}]`)
  return { ...result, items, names: items.map(({ name }) => name) }
}

async function createRoot(t: Test, tree: Parameters<Test['testdir']>[0] = {}): Promise<string> {
  return realpath(t.testdir({ root: tree, outside: { 'secret.txt': 'OUTSIDE' } })).then((base) =>
    join(base, 'root'),
  )
}

/** Lists a large folder in two parts. `meanwhile` runs between them. */
async function listInParts(root: string, rest: Partial<ListTask> = {}, meanwhile = () => {}) {
  const jail = await openJail(root, rootPath, free)
  const sorting = { by: 'name', asc: false } as const
  const base = { address: root, real: root, root: jail.root, secret: [], path: '/', rules: [] }
  const starts: ListStart[] = []
  const result = listFolder({ ...base, hideDotfiles: false, sorting, ...rest }, createJsonWriter, {
    start(start) {
      starts.push(start)
      meanwhile()
    },
  })
  const parse = (items: Uint8Array): Item[] => JSON.parse(`[${Buffer.from(items)}]`)
  const [start] = starts
  if (!start || starts.length > 1) throw new Error('not begun once')
  return { start, first: parse(start.items), others: parse(result.items) }
}

const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })

t.test('sorts names in natural order, folders first, ignoring case and accents', async (t) => {
  const root = await createRoot(t, {
    b10: '',
    b2: '',
    B1: '',
    a: '',
    Ä: '',
    z: {},
    Y: {},
    _x: '',
    '10': '',
    '9': '',
  })
  t.strictSame((await list(root)).names, ['Y', 'z', '_x', '9', '10', 'a', 'Ä', 'B1', 'b2', 'b10'])
  const down = await list(root, '/', { sorting: { by: 'name', asc: true } })
  t.strictSame(down.names, ['z', 'Y', 'b10', 'b2', 'B1', 'Ä', 'a', '10', '9', '_x'])
})

t.test('sorts by size and time in the stored order, folders first', async (t) => {
  const root = await createRoot(t, {
    small: '1',
    large: '333',
    middle: '22',
    alsoSmall: '1',
    d: { x: '' },
    c: {},
  })
  const times = { small: 3, large: 1, middle: 2, alsoSmall: 3, d: 1, c: 2 }
  for (const [name, day] of Object.entries(times)) await utimes(join(root, name), day * 86400, day * 86400)
  const by = async (sorting: Sorting) => (await list(root, '/', { sorting })).names.join(' ')
  t.equal(await by({ by: 'size', asc: true }), 'c d alsoSmall small middle large')
  t.equal(await by({ by: 'size', asc: false }), 'c d large middle alsoSmall small')
  t.equal(await by({ by: 'modified', asc: true }), 'd c large middle alsoSmall small')
  t.equal(await by({ by: 'modified', asc: false }), 'c d alsoSmall small middle large')
})

t.test('an item has the metadata of the file on the disk', async (t) => {
  const root = await createRoot(t, { 'a b.TXT': 'hello', d: {} })
  await utimes(join(root, 'a b.TXT'), 1_700_000_000.5, 1_700_000_000.5)
  const { items, numDirs, numFiles } = await list(root)
  t.strictSame([numDirs, numFiles], [1, 1])
  t.match(items, [
    {
      index: 0,
      name: 'd',
      path: '/d',
      url: '/files/d/',
      isDir: true,
      extension: '',
      type: '',
      isSymlink: false,
    },
    {
      index: 1,
      name: 'a b.TXT',
      path: '/a b.TXT',
      url: '/files/a%20b.TXT',
      size: 5,
      extension: '.TXT',
      modified: '2023-11-14T22:13:20.500Z',
      mode: lstatSync(join(root, 'a b.TXT')).mode & 0o777,
      isDir: false,
      isSymlink: false,
      type: 'text',
    },
  ])
})

t.test('an empty folder has an empty list', async (t) => {
  const { items, numDirs, numFiles } = await list(await createRoot(t))
  t.strictSame([items, numDirs, numFiles], [[], 0, 0])
})

t.test('lists hostile names unchanged, with URLs that decode to them', async (t) => {
  const root = await createRoot(t)
  for (const name of [...hostileNames, 'line\nbreak', '\u2028', '"', '\u007f', '\u001b[2J']) {
    writeFileSync(join(root, name), name)
  }
  const { items } = await list(root)
  t.strictSame(items.map(({ name }) => name).sort(), readdirSync(root).sort())
  for (const { name, path, url, type } of items) {
    t.equal(path, `/${name}`)
    if (!/\p{Cc}/u.test(name)) t.equal(decodePath(url.slice('/files'.length)).path, path)
    t.ok(type, name)
  }
})

t.test('lists a name that is not UTF-8 with escaped bytes, distinct from other names', async (t) => {
  const root = await createRoot(t)
  writeFileSync(Buffer.concat([Buffer.from(`${root}/f`), Buffer.from([0xff])]), 'BROKEN')
  t.strictSame((await list(root)).names, ['f\ufffd%FF'])
  writeFileSync(`${root}/f\ufffd`, 'whole')
  t.strictSame(
    (await list(root)).items.map(({ name, size }) => [name, size]),
    [
      ['f\ufffd', 5],
      ['f\ufffd%FF', 6],
    ],
  )
})

t.test('omits denied entries and does not count them', async (t) => {
  const root = await createRoot(t, { d: { a: '', b: '', e: {} }, shut: {}, open: '' })
  const { names, numDirs, numFiles } = await list(root, '/', { rules: [deny('/shut'), deny('/d/a')] })
  t.strictSame([names, numDirs, numFiles], [['d', 'open'], 1, 1])
  const inside = await list(root, '/d', { rules: [deny('/d/a'), deny('/d/e')] })
  t.strictSame([inside.names, inside.numDirs], [['b'], 0])
})

t.test('applies rules to the real paths when the folder is opened through a symbolic link', async (t) => {
  const root = await createRoot(t, { docs: { private: { x: '' }, 'public.txt': '', 'shut.txt': '' } })
  await symlink('docs', join(root, 'pub'))
  const rules = [deny('/docs/private'), deny('/docs/shut.txt')]
  t.strictSame((await list(root, '/pub', { rules })).names, ['public.txt'])
})

t.test('omits hidden files only for users with this setting', async (t) => {
  const root = await createRoot(t, { '.hidden': '', '.d': {}, shown: '' })
  t.strictSame((await list(root)).names, ['.d', '.hidden', 'shown'])
  t.strictSame((await list(root, '/', { hideDotfiles: true })).names, ['shown'])
})

t.test("omits temporary files and Coffer's own files", async (t) => {
  const root = await createRoot(t, { 'state.json': '', 'state.d': { x: '' }, shown: '' })
  const part = temporaryName()
  await writeFile(join(root, part), '')
  await symlink(part, join(root, 'to-part'))
  await symlink('state.json', join(root, 'to-state'))
  await symlink('state.d/x', join(root, 'into-state'))
  const secret = [join(root, 'state.json'), join(root, 'state.d')]
  t.strictSame((await list(root, '/', { secret })).names, ['shown'])
})

t.test('shows the target of a symbolic link inside the scope, and nothing of a target outside', async (t) => {
  const root = await createRoot(t, { d: { 'f.txt': 'inside' }, shut: { 's.txt': '' } })
  await mkdir(join(root, 'links'))
  for (const [name, target] of Object.entries({
    'a-file': '../d/f.txt',
    'b-folder': '../d',
    'c-scope': '..',
    'd-outside': '../../outside/secret.txt',
    'e-outside': '../../outside',
    'f-dangling': 'nowhere',
    'g-loop': 'g-loop',
    'h-root': '/',
    'i-sibling': `${root}-sibling`,
    'j-denied': '../shut/s.txt',
  })) {
    await symlink(target, join(root, 'links', name))
  }
  mkdirSync(`${root}-sibling`)
  const { items } = await list(root, '/links', { rules: [deny('/shut')] })
  t.strictSame(
    items.map(({ name, type, isDir, isSymlink }) => [name, type, isDir, isSymlink]),
    [
      ['b-folder', '', true, true],
      ['c-scope', '', true, true],
      ['a-file', 'text', false, true],
      ['d-outside', 'invalid_link', false, true],
      ['e-outside', 'invalid_link', false, true],
      ['f-dangling', 'invalid_link', false, true],
      ['g-loop', 'invalid_link', false, true],
      ['h-root', 'invalid_link', false, true],
      ['i-sibling', 'invalid_link', false, true],
    ],
  )
  t.equal(items.find(({ name }) => name === 'a-file')?.size, 6, 'the size of the target')
  t.not(items.find(({ name }) => name === 'd-outside')?.size, 7, 'not the size of the file outside')
})

t.test('detects the type of a file with an unknown extension by its first bytes', async (t) => {
  const root = await createRoot(t, {
    text: 'plain',
    binary: Buffer.from([0, 1, 2]).toString('latin1'),
    empty: '',
  })
  await symlink('text', join(root, 'to-text'))
  const { items } = await list(root)
  t.strictSame(
    items.map(({ name, type }) => [name, type]),
    [
      ['binary', 'blob'],
      ['empty', 'text'],
      ['text', 'text'],
      ['to-text', 'text'],
    ],
  )
})

t.test('lists pipes and devices without opening them', { timeout: 10_000 }, async (t) => {
  const root = await createRoot(t)
  execFileSync(systemTool('mkfifo'), [join(root, 'pipe')])
  await symlink('pipe', join(root, 'to-pipe'))
  const { items } = await list(root)
  t.strictSame(
    items.map(({ name, type }) => [name, type]),
    [
      ['pipe', 'blob'],
      ['to-pipe', 'blob'],
    ],
  )
})

t.test('fails with the error of the system for a missing folder', async (t) => {
  const root = await createRoot(t)
  const task = { address: join(root, 'none'), real: join(root, 'none') }
  await t.rejects(list(root, '/', task), { code: 'ENOENT' })
})

// A simple model of the order (contract/compatibility.md#sorting).
function model(root: string, { by, asc }: Sorting): string[] {
  const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  const entries = readdirSync(root).map((name) => ({ name, stats: lstatSync(join(root, name)) }))
  const names = (a: { name: string }, b: { name: string }) =>
    natural.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
  const keys = {
    name: names,
    size: (a: (typeof entries)[0], b: (typeof entries)[0]) => a.stats.size - b.stats.size,
    modified: (a: (typeof entries)[0], b: (typeof entries)[0]) => a.stats.mtimeMs - b.stats.mtimeMs,
  }
  const up = by === 'name' ? !asc : asc
  const sorted = (part: typeof entries, key: typeof names | typeof keys.size) =>
    part.sort((a, b) => (up ? key(a, b) : key(b, a)) || names(a, b)).map(({ name }) => name)
  const dirs = entries.filter(({ stats }) => stats.isDirectory())
  const files = entries.filter(({ stats }) => !stats.isDirectory())
  return [...sorted(dirs, by === 'size' ? names : keys[by]), ...sorted(files, keys[by])]
}

function fillFolder(root: string, count: number): void {
  for (let n = 0; n < count; n++) {
    const mixed = (n * 7919) % count
    const name = `${'aBcÄ'[n % 4]}${mixed}${n % 3 ? '.txt' : '.jpg'}`
    if (n % 10 === 0) mkdirSync(join(root, name))
    else writeFileSync(join(root, name), 'x'.repeat(n % 5))
    if (n % 2) utimesSync(join(root, name), n % 13, n % 13)
  }
}

t.test('every order is the same as the order of a simple model', async (t) => {
  const root = await createRoot(t)
  fillFolder(root, 500)
  for (const sorting of sortings) {
    const { names } = await list(root, '/', { sorting })
    // When sorting by size, folders stay sorted A to Z, in both directions.
    const expected = model(root, sorting)
    if (sorting.by === 'size' && !sorting.asc) {
      const dirs = model(root, { by: 'name', asc: false }).slice(0, 50)
      t.strictSame(names, [...dirs, ...expected.slice(50)])
    } else t.strictSame(names, expected, JSON.stringify(sorting))
  }
})

t.test('lists a large folder completely, numbered and in order', async (t) => {
  const root = await createRoot(t)
  const count = rounds(100_000)
  fillFolder(root, count)
  symlinkSync('../outside', join(root, 'zz-out'))
  const { items, numDirs, numFiles, names } = await list(root)
  t.strictSame([items.length, numDirs, numFiles], [count + 1, count / 10, count * 0.9 + 1])
  t.ok(items.every(({ index, path, name }, at) => index === at && path === childOf('/', name)))
  t.strictSame(names.slice(0, -1), model(root, { by: 'name', asc: false }).slice(0, -1))
  t.equal(items.at(-1)?.type, 'invalid_link')
})

t.test(
  'the first entries of a large folder are complete before the rest is read, in every order',
  async (t) => {
    const root = await createRoot(t)
    fillFolder(root, 2500)
    mkdirSync(join(root, 'links'))
    symlinkSync('links', join(root, '00-link'))
    symlinkSync('../outside', join(root, '00-out'))
    for (const sorting of sortings) {
      const { start, first, others } = await listInParts(root, { sorting })
      const whole = await list(root, '/', { sorting })
      t.strictSame([...first, ...others], whole.items, JSON.stringify(sorting))
      t.strictSame([start.numDirs, start.numFiles], [whole.numDirs, whole.numFiles])
      t.equal(first.length, 200)
      const ratio = start.sizeBytes / Buffer.byteLength(JSON.stringify(whole.items))
      t.ok(ratio > 0.8 && ratio < 1.2, `estimates the size: ${ratio}`)
    }
  },
)

t.test(
  'an entry that is removed or replaced while the rest is read is left out or shown as it is',
  async (t) => {
    const root = await createRoot(t)
    for (let n = 0; n < 2500; n++) writeFileSync(join(root, `${n}.txt`), '')
    const { first, others, start } = await listInParts(root, {}, () => {
      rmSync(join(root, '5.txt'))
      rmSync(join(root, '1000.txt'))
      rmSync(join(root, '2000.txt'))
      mkdirSync(join(root, '2000.txt'))
    })
    t.strictSame([start.numDirs, start.numFiles, first.length, others.length], [0, 2500, 200, 2299])
    t.ok(
      first.some(({ name }) => name === '5.txt'),
      'what was sent stays',
    )
    t.notOk(others.some(({ name }) => name === '1000.txt'))
    t.match(
      others.find(({ name }) => name === '2000.txt'),
      { isDir: true, url: '/files/2000.txt/' },
    )
    t.ok([...first, ...others].every(({ index }, at) => index === at))
  },
)

t.test('a file with a text extension that is larger than the limit for text is a blob', async (t) => {
  const root = await createRoot(t, { 'small.txt': 'text' })
  for (const name of ['large.txt', 'large', 'large.jpg']) {
    writeFileSync(join(root, name), '')
    truncateSync(join(root, name), 10 * 1024 * 1024 + 1)
  }
  const { items } = await list(root)
  t.strictSame(
    items.map(({ name, type }) => [name, type]),
    [
      ['large', 'blob'],
      ['large.jpg', 'image'],
      ['large.txt', 'blob'],
      ['small.txt', 'text'],
    ],
  )
})
