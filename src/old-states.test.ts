import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hashPassword } from '#src/core/access/passwords.ts'
import { password, run, serve, signIn } from '#src/testing/program.ts'
import { exchange, until } from '#src/testing/wire.ts'

// State files as released versions wrote them. They are literal, because the current code may change.
const perm = {
  ...{ admin: false, execute: false, create: true, rename: true },
  ...{ modify: true, delete: true, share: true, download: true },
}
const allPerm = { ...perm, admin: true, execute: true }
const preferences = {
  ...{ locale: 'de', viewMode: 'mosaic', sorting: { by: 'size', asc: true } },
  ...{ singleClick: true, hideDotfiles: false, dateFormat: true },
}
/** Preferences of users and defaults since version 2. */
const laterPreferences = { aceEditorTheme: 'chrome', redirectAfterCopyMove: true }
const rules = [{ allow: false, path: '/private', regex: false, regexp: null }]
const signingKey = Buffer.alloc(64, 7).toString('base64')
const day = 24 * 60 * 60_000
const hash = (name: string) => name.padEnd(22, '_')

type Version = 1 | 2 | 3 | 4

async function stateOf(version: Version, root: string) {
  const later = { ...(version > 1 && laterPreferences), ...(version > 3 && { theme: 'dark' }) }
  const common = { lockPassword: false, commands: [], rules: [], ...preferences, ...later }
  const events = ['save', 'copy', 'rename', 'upload', 'delete'].flatMap((name) => [
    `before_${name}`,
    `after_${name}`,
  ])
  const settings = {
    ...{ signup: true, createUserDir: false, userHomeBasePath: '/people', minimumPasswordLength: 10 },
    ...{ fileMode: 0o640, dirMode: 0o750, rules, shell: [] },
    defaults: { scope: '.', perm, commands: ['git'], ...preferences, ...later },
    branding: {
      ...{
        name: 'Ours',
        disableExternal: true,
        disableUsedPercentage: false,
        files: '',
        theme: 'dark',
        color: 'teal',
      },
      ...(version > 2 && { followDevice: false }),
    },
    commands: Object.fromEntries(events.map((name) => [name, []])),
    ...(version > 1 && { hideLoginButton: true, tus: { chunkSize: 1024 * 1024, retryCount: 3 } }),
  }
  const { dev, ino, birthtimeMs: birth } = statSync(join(root, 'docs'))
  const link = {
    userID: 2,
    path: '/docs',
    expire: 0,
    created: 1_700_000_000,
    password: '',
    thing: { dev, ino, birth },
  }
  const links = {
    [hash('open')]: { ...link, hash: hash('open') },
    [hash('locked')]: { ...link, hash: hash('locked'), password: await hashPassword('let me in') },
    [hash('timed')]: { ...link, hash: hash('timed'), expire: Math.floor(Date.now() / 1000) + 3600 },
    [hash('over')]: { ...link, hash: hash('over'), expire: 1_700_000_060 },
    // Version 0.1 had a bug that wrote NaN, which is null in JSON.
    [hash('nan')]: { ...link, hash: hash('nan'), expire: null },
  }
  return {
    version,
    nextUserId: 4,
    users: {
      1: { id: 1, username: 'admin', scope: '/', perm: allPerm, ...common },
      2: { id: 2, username: 'ann', scope: '/', perm, ...common, rules, commands: ['git'] },
    },
    credentials: {
      signingKey,
      passwords: { 1: await hashPassword(password), 2: await hashPassword('ann was here') },
    },
    settings,
    // Version 2 introduced shares.
    ...(version > 1 && { shares: links }),
  }
}

/** A root, and beside it the state of an old version with two sessions. */
async function startOld(t: Test, version: Version) {
  const base = t.testdir({ root: { docs: { 'a.txt': 'content' }, private: { 'b.txt': 'secret' } } })
  const root = join(base, 'root')
  const file = join(base, 'state.json')
  writeFileSync(file, JSON.stringify(await stateOf(version, root)))
  const sessions = join(base, 'state.d/sessions')
  mkdirSync(sessions, { recursive: true })
  const session = { userId: 2, device: 'curl', address: '127.0.0.1', serial: 2 }
  for (const [id, age] of [
    ['young', 1],
    ['unused', 31],
  ] as const) {
    const at = Date.now() - age * day
    const record = { ...session, id, created: at, lastUse: at, renewed: at }
    writeFileSync(join(sessions, `${id}.json`), JSON.stringify(record))
  }
  return {
    root,
    file,
    sessions,
    args: ['--database', file, '--log', join(base, 'log')],
    log: join(base, 'log'),
  }
}

for (const version of [1, 2, 3, 4] as const) {
  t.test(
    `users, shares, settings and sessions of state version ${version} persist over the update`,
    async (t) => {
      const { root, args, sessions } = await startOld(t, version)
      const { port, child, ended } = await serve(t, root, ...args)
      const get = async (path: string, headers: Record<string, string>) => {
        const { status, body } = await exchange(port, 'GET', path, { headers })
        return { status, body }
      }
      const admin = { 'x-auth': await signIn(port) }
      const settings = JSON.parse((await get('/api/settings', admin)).body)
      t.match(settings, {
        ...{ signup: true, minimumPasswordLength: 10, userHomeBasePath: '/people', rules },
        branding: { name: 'Ours', theme: 'dark', color: 'teal', disableExternal: true },
        defaults: { commands: ['git'], locale: 'de', viewMode: 'mosaic', theme: version > 3 ? 'dark' : '' },
        // Until version 3, every user who signed up got a folder of their own.
        createUserDir: version < 4,
        ...(version > 1 && { hideLoginButton: true, tus: { chunkSize: 1024 * 1024, retryCount: 3 } }),
      })
      const users = JSON.parse((await get('/api/users', admin)).body)
      t.match(users, [
        { id: 1, username: 'admin', perm: allPerm, ...preferences },
        {
          id: 2,
          username: 'ann',
          perm,
          rules,
          commands: ['git'],
          ...preferences,
          ...(version > 1 && laterPreferences),
          theme: version > 3 ? 'dark' : '',
        },
      ])
      const body = JSON.stringify({ username: 'ann', password: 'ann was here' })
      const ann = { 'x-auth': (await exchange(port, 'POST', '/api/login', { body })).body }
      t.match(await get('/api/resources/docs/a.txt', ann), { status: 200, body: /"content":"content"/ })
      t.equal((await get('/api/resources/private/b.txt', ann)).status, 403, 'rules apply')
      const sessionList = JSON.parse((await get('/api/sessions', ann)).body) as { id: string }[]
      t.ok(sessionList.some(({ id }) => id === 'young'))
      t.notOk(sessionList.some(({ id }) => id === 'unused'))
      for (const [name, status] of Object.entries({
        open: 200,
        locked: 401,
        timed: 200,
        over: 404,
        nan: 404,
      })) {
        const reply = await get(`/api/public/share/${hash(name)}`, {})
        t.equal(reply.status, version > 1 ? status : 404, `${name}: ${reply.body}`)
      }
      const unlocked = await get(`/api/public/share/${hash('locked')}`, { 'x-share-password': 'let me in' })
      t.equal(unlocked.status, version > 1 ? 200 : 404)
      t.equal((await get('/api/shares', admin)).status, 200)
      child.kill('SIGTERM')
      t.equal(await ended, 0)
      t.ok(readdirSync(sessions).includes('young.json'))
    },
  )
}

t.test('a share without a valid expiry is set aside and reported in the log', async (t) => {
  const { root, args, file, log } = await startOld(t, 3)
  const { port, child, ended } = await serve(t, root, ...args)
  const nan = hash('nan')
  t.match(JSON.parse(readFileSync(`${file}.aside`, 'utf8')), {
    kind: 'link',
    key: nan,
    record: { expire: null },
  })
  t.match(
    await until(() => readFileSync(log, 'utf8')),
    /moved a damaged record out of the state record="share nan___… of user 2 of \/docs" file=\S*state\.json\.aside/,
  )
  t.notMatch(readFileSync(log, 'utf8'), nan)
  t.equal((await exchange(port, 'GET', `/api/public/dl/${nan}`)).status, 404)
  child.kill('SIGKILL')
  await ended
  const again = await serve(t, root, ...args)
  t.equal((await exchange(again.port, 'GET', `/api/public/share/${hash('open')}`)).status, 200)
  t.equal(readFileSync(`${file}.aside`, 'utf8').trimEnd().split('\n').length, 1)
})

t.test('the file of damaged records cannot be read through the server', async (t) => {
  const base = t.testdir({ root: {} })
  const root = join(base, 'root')
  mkdirSync(join(root, 'docs'))
  const file = join(root, 'state.json')
  writeFileSync(file, JSON.stringify(await stateOf(3, root)))
  const { port } = await serve(t, root, '--database', file)
  const headers = { 'x-auth': await signIn(port) }
  t.ok(readdirSync(root).includes('state.json.aside'))
  for (const path of [
    '/api/resources/state.json.aside',
    '/api/raw/state.json.aside',
    '/api/raw/?files=state.json.aside',
  ]) {
    const { status, body } = await exchange(port, 'GET', path, { headers })
    t.notMatch(body, 'nan___', `${path} ${status}`)
  }
  const { body } = await exchange(port, 'GET', '/api/resources/', { headers })
  t.notMatch(body, 'state.json')
})

t.test('damaged global rules stop the start with a message', async (t) => {
  const { root, args, file } = await startOld(t, 3)
  const state = JSON.parse(readFileSync(file, 'utf8'))
  state.settings.rules = [{ allow: false, path: null }]
  writeFileSync(file, JSON.stringify(state))
  const program = run(t, '--root', root, '--port', '0', ...args)
  t.equal(await program.ended, 2)
  t.match(program.said(), /^The state file .* is damaged at \/settings\/rules\/0[^\n]*\n$/)
  t.strictSame(JSON.parse(readFileSync(file, 'utf8')), state)
})
