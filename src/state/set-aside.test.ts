import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { firstUser, newSettings } from './defaults.ts'
import { openDocument, stateFile } from './document.ts'
import { nameOfRecord, type SetAside, setAsideDamaged } from './set-aside.ts'
import { type ShareRecord, type State, stateFault, type UserRecord } from './state.ts'

function user(id: number, username: string, isAdmin = false): UserRecord {
  const perm = { ...firstUser.perm, admin: isAdmin }
  return { id, username, ...firstUser, perm, lockPassword: false, commands: [], rules: [] }
}

function link(name: string, userID: number): ShareRecord {
  const thing = { dev: 1, ino: 2, birth: 3.5 }
  return { hash: name.padEnd(22, 'x'), userID, path: `/${name}`, expire: 0, created: 1, password: '', thing }
}

/** Two administrators, a user, and a share of each. */
function createState(): State {
  const links = [link('first', 1), link('bobs', 2), link('third', 3)]
  return {
    version: 6,
    nextUserId: 4,
    users: { 1: user(1, 'admin', true), 2: user(2, 'bob'), 3: user(3, 'carol', true) },
    credentials: { signingKey: 'k'.repeat(88), passwords: { 1: 'one', 2: 'two', 3: 'three' } },
    settings: newSettings(),
    shares: Object.fromEntries(links.map((one) => [one.hash, one])),
  }
}

/** Returns the state with `value` at a path, as another program may have written it. */
function damaged(path: string, value: unknown): State {
  const state: unknown = createState()
  const names = path.split('/')
  const last = names.pop() ?? ''
  let place = state as Record<string, unknown>
  for (const name of names) place = place[name] as Record<string, unknown>
  place[last] = value
  return state as State
}

const bobsHash = link('bobs', 2).hash

async function onDisk(t: Test, state: unknown) {
  const folder = t.testdir()
  const file = join(folder, 'state.json')
  await writeFile(file, JSON.stringify(state))
  const reported: SetAside[] = []
  const open = () =>
    openDocument(
      stateFile(file, (record) => reported.push(record)),
      async () => createState(),
    )
  const lines = async () => (await readFile(`${file}.aside`, 'utf8')).trimEnd().split('\n')
  return { folder, file, reported, open, lines }
}

t.test('a valid state loses nothing', async (t) => {
  const state = createState()
  t.strictSame(setAsideDamaged(state), { state, aside: [] })
})

t.test('sets aside a damaged user with password and shares, and changes nothing else', async (t) => {
  for (const [path, value, fault] of [
    ['users/2/perm', null, '/perm: must be object'],
    ['users/2/rules', [{ allow: false, path: 7 }], '/rules/0'],
    ['users/2/rules', null, '/rules: must be array'],
    ['users/2/scope', 5, '/scope: must be string'],
    ['users/2/id', 7, '/id: differs from the key'],
    ['users/2', 'bob', '/: must be object'],
    ['credentials/passwords/2', null, '/password: must be string'],
  ] as const) {
    const before = damaged(path, value)
    const result = setAsideDamaged(before)
    if ('fault' in result) throw new Error(result.fault)
    const { state, aside } = result
    t.equal(stateFault(state), undefined)
    t.strictSame(Object.keys(state.users), ['1', '3'], path)
    t.strictSame(state.credentials.passwords, { 1: 'one', 3: 'three' })
    t.notOk(bobsHash in state.shares)
    t.equal(Object.keys(state.shares).length, 2)
    t.match(aside, [
      { kind: 'user', key: '2', record: before.users[2], links: { [bobsHash]: link('bobs', 2) } },
    ])
    t.match(aside[0]?.fault, fault)
    t.equal(before.users[2] !== undefined, true, 'the argument is not changed')
  }
})

t.test('sets aside a damaged share, so that one without an expiry does not become permanent', async (t) => {
  for (const [name, value] of [
    ['expire', null],
    ['expire', -1],
    ['expire', 1.5],
    ['userID', 0],
    ['password', null],
    ['path', null],
    ['thing', {}],
    ['hash', 'x'.repeat(22)],
  ] as const) {
    const result = setAsideDamaged(damaged(`shares/${bobsHash}/${name}`, value))
    if ('fault' in result) throw new Error(result.fault)
    t.notOk(bobsHash in result.state.shares, `${name} ${value}`)
    t.equal(Object.keys(result.state.users).length, 3)
    t.match(result.aside, [{ kind: 'link', key: bobsHash, record: { [name]: value } }])
  }
})

t.test('never assigns the id of a user that was set aside again', async (t) => {
  for (const [key, id, next] of [
    ['9', 9, 10],
    ['9', 12, 13],
    ['9', 2 ** 40, 10],
    ['__proto__', 9, 10],
    ['x', 'y', 4],
  ] as const) {
    const state = createState()
    Object.defineProperty(state.users, key, { value: { id, username: 5 }, enumerable: true })
    const result = setAsideDamaged(state)
    if ('fault' in result) throw new Error(result.fault)
    t.equal(result.state.nextUserId, next, key)
  }
})

t.test('a next id that a user, a password or a share already has is not assigned', async (t) => {
  for (const [path, value, next] of [
    ['nextUserId', 1, 4],
    ['nextUserId', 3, 4],
    ['nextUserId', 9, 9],
    [`shares/${bobsHash}/userID`, 30, 31],
    ['credentials/passwords/20', 'left over', 21],
  ] as const) {
    t.match(setAsideDamaged(damaged(path, value)), { state: { nextUserId: next }, aside: [] }, path)
  }
})

t.test('refuses a state whose damage affects all users or leaves no administrator', async (t) => {
  const faults: [state: unknown, fault: RegExp][] = [
    [damaged('settings/rules', [{ allow: false }]), /^\/settings\/rules\/0/],
    [damaged('settings/signup', null), /^\/settings\/signup/],
    [damaged('settings', null), /^\/settings/],
    [damaged('credentials/signingKey', 'short'), /^\/credentials\/signingKey/],
    [damaged('credentials/passwords', []), /^\/credentials\/passwords/],
    [damaged('credentials', null), /^\/credentials/],
    [damaged('users', null), /^\/users/],
    [damaged('users', [user(0, 'x')]), /^\/users/],
    [damaged('shares', 'none'), /^\/shares/],
    [damaged('nextUserId', null), /^\/nextUserId/],
    [
      { ...createState(), users: { 1: { ...user(1, 'admin', true), perm: 7 }, 2: user(2, 'bob') } },
      /no administrator is left/,
    ],
    [{ version: 6 }, /./],
    [null, /./],
  ]
  for (const [state, fault] of faults) t.match(setAsideDamaged(state), { fault }, String(fault))
})

t.test(
  'a start with damaged records reports them, moves them to a private file, and continues',
  async (t) => {
    const state = damaged('users/2/perm', null)
    const third = link('third', 3).hash
    Object.assign(state.shares[third] ?? {}, { expire: null })
    const { file, folder, reported, open, lines } = await onDisk(t, state)
    const document = await open()
    t.strictSame(Object.keys(document.data.users), ['1', '3'])
    t.strictSame(reported.map(nameOfRecord), ['user 2 (bob)', 'share thirdx… of user 3 of /third'])
    t.notMatch(reported.map(nameOfRecord).join(), third, 'the log does not reveal the hash of the share')
    const [first = '', second = ''] = await lines()
    t.match(JSON.parse(first), { kind: 'user', key: '2', fault: '/perm: must be object', password: 'two' })
    t.match(JSON.parse(second), { kind: 'link', key: third, record: { expire: null } })
    t.equal((await stat(`${file}.aside`)).mode & 0o777, 0o600)
    t.strictSame(JSON.parse(await readFile(file, 'utf8')), document.data, 'the state on the disk is valid')
    t.strictSame(await readdir(folder), ['state.json', 'state.json.aside'])
    await open()
    t.equal(reported.length, 2, 'the next start reports nothing')
  },
)

t.test('never overwrites the records that were set aside before', async (t) => {
  const { file, reported, open, lines } = await onDisk(t, damaged(`shares/${bobsHash}/expire`, null))
  await open()
  const document = await open()
  await document.update((draft) => ++draft.nextUserId)
  await writeFile(file, JSON.stringify(damaged('users/2/perm', 1)))
  await open()
  t.equal(reported.length, 2)
  t.strictSame(
    (await lines()).map((line) => JSON.parse(line).kind),
    ['link', 'user'],
  )
})

t.test('a kill between setting aside and writing the state loses nothing and repeats nothing', async (t) => {
  const { file, reported, open, lines } = await onDisk(t, damaged('users/2/perm', null))
  await mkdir(`${file}.new`) // the state cannot be written, as after a kill at this point
  await writeFile(join(`${file}.new`, 'x'), '')
  await t.rejects(open(), { name: 'StartupProblem', message: /cannot be written/ })
  t.match(JSON.parse(await readFile(file, 'utf8')), { users: { 2: { perm: null } } })
  t.equal((await lines()).length, 1)
  await rm(`${file}.new`, { recursive: true })
  await open()
  t.equal((await lines()).length, 1)
  t.equal(reported.length, 1)
  // A kill in the middle of the line.
  await writeFile(`${file}.aside`, (await lines())[0]?.slice(0, 50) ?? '')
  await writeFile(file, JSON.stringify(damaged('users/2/perm', null)))
  await open()
  const [half, whole = ''] = await lines()
  t.equal(half?.length, 50)
  t.match(JSON.parse(whole), { kind: 'user', key: '2' })
})

t.test('a start that cannot set aside records stops, and the state stays unchanged', async (t) => {
  const { folder, file, open } = await onDisk(t, damaged('users/2/perm', null))
  const before = await readFile(file)
  await writeFile(join(folder, 'victim'), 'precious')
  await symlink('victim', `${file}.aside`)
  await t.rejects(open(), { name: 'StartupProblem' })
  t.strictSame(await readFile(file), before)
  t.equal(await readFile(join(folder, 'victim'), 'utf8'), 'precious', 'no symbolic link is followed')
})

t.test('the backup from before the last change survives the start that sets records aside', async (t) => {
  const { file, open } = await onDisk(t, damaged('users/2/perm', null))
  await writeFile(`${file}.bak`, JSON.stringify(createState()))
  await open()
  t.match(JSON.parse(await readFile(`${file}.bak`, 'utf8')), { users: { 2: { username: 'bob' } } })
})
