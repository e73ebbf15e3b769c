import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '#src/config/load.ts'
import { lockProcess } from '#src/core/storage/process-lock.ts'
import { idKey, writeBolt } from '#src/testing/bolt-writer.ts'
import { importWorld, sample } from '#src/testing/import-samples.ts'
import { fillUp, mountSmall, smallDisks } from '#src/testing/small-disk.ts'
import { start } from '#src/testing/start.ts'
import { importAtFirstStart, importFiles } from './import.ts'

const admin = {
  ...{ id: 1, username: 'admin', scope: '.', perm: { admin: true } },
  password: '$2a$04$j3CgFYP.kXHbVPU77FjnGOzTTHWPYGWRfXqWDGhdWx/XzpaVWFeU6',
}
const generations = [
  { version: '2.1', shares: 8, locked: 0 },
  { version: '2.23', shares: 8, locked: 4 },
  { version: '2.63', shares: 4, locked: 2 },
]

for (const { version, shares, locked } of generations) {
  t.test(`a database of File Browser ${version} arrives with all users, shares and settings`, async (t) => {
    const { base, put, load, state } = await importWorld(t)
    const file = put(`fb-${version}.db`)
    const { lines } = await load(file)
    t.strictSame(
      lines.filter(({ outcome }) => outcome === 'dropped').map(({ name }) => name),
      ['key', 'typeDetectionByHeader', 'imageResolutionCalculation', 'followExternalSymlinks'].slice(
        0,
        version === '2.1' ? 1 : version === '2.23' ? 2 : 4,
      ),
    )
    t.match(state().users, {
      1: { username: 'admin', scope: '/', perm: { admin: true } },
      2: {
        ...{ username: 'alice', scope: '/users/alice', locale: 'fr', commands: ['ls', 'git'] },
        perm: { admin: false, delete: false, share: true },
        rules: [{ allow: true, path: '/docs/private/readme.txt', regex: false }],
      },
      3: {
        username: 'bob.müller',
        scope: '/docs',
        viewMode: 'mosaic',
        lockPassword: true,
        perm: { share: false },
      },
    })
    t.match(state().settings, {
      ...{ signup: true, shell: [], createUserDir: version === '2.63' },
      branding: { name: 'Family files', disableExternal: true, followDevice: version === '2.63' },
      rules: [
        { allow: false, path: '/docs/private' },
        { allow: false, regex: true, regexp: { raw: '\\.key$' } },
      ],
      commands: { after_upload: ['echo $FILE'], before_delete: ['test -e $FILE'], after_copy: [] },
      defaults: { locale: 'de', perm: { execute: true, admin: false } },
    })
    const { app, call, document } = await start(t, { base, onDisk: true })
    for (const [username, password] of [
      ['admin', 'Sample-Admin-1'],
      ['Alice', 'Sample-Alice-1'],
      ['bob.müller', 'Sample-Bob-12345'],
    ] as const) {
      const reply = await call('POST', '/api/login', { payload: { username, password } })
      t.equal(reply.statusCode, 200, username)
    }
    for (const hash of Object.values(document.data.credentials.passwords)) t.match(hash, /^\$argon2id\$/)
    const links = Object.values(document.data.shares)
    t.equal(links.length, shares)
    t.equal(links.filter(({ password }) => password !== '').length, locked)
    for (const { hash, path, password } of links) {
      const share = `/api/public/share/${hash}`
      if (password !== '') t.equal((await call('GET', share)).statusCode, 401)
      const headers = { 'x-share-password': 'Sample-Link-1' }
      const reply = await call('GET', share, { headers })
      t.match(reply.json(), { name: path.slice(path.lastIndexOf('/') + 1) })
      if (password !== '') {
        t.match(document.data.shares[hash]?.password, /^\$argon2id\$/)
        const { token } = reply.json()
        t.equal((await call('GET', `${share}?token=${token}`)).statusCode, 200, 'the ticket is valid at once')
        t.equal((await call('GET', share, { headers: { 'x-share-password': 'wrong' } })).statusCode, 401)
      }
      t.equal((await call('GET', `/share/${hash}`)).statusCode, 200, 'the page of the link')
    }
    await app.close()
  })

  t.test(
    `the exports of File Browser ${version} contain the same users and settings as its database`,
    async (t) => {
      const { put, load, state } = await importWorld(t)
      await load(put(`fb-${version}.db`))
      const { users, settings, credentials } = state()
      for (const format of ['json', 'yaml']) {
        const { advice, backup } = await load(
          put(`fb-${version}-config.${format}`),
          put(`fb-${version}-users.${format}`),
        )
        t.strictSame(state().users, users)
        t.strictSame(state().settings, settings)
        t.strictSame(state().credentials.passwords, credentials.passwords)
        t.not(state().credentials.signingKey, credentials.signingKey)
        t.match(advice.join(), /File Browser served \/srv\/samples\/root/)
        t.equal(statSync(backup ?? '').mode & 0o777, 0o600)
      }
    },
  )
}

t.test('a dry run reports the same as the import, and writes nothing', async (t) => {
  const { base, put, plan, load } = await importWorld(t)
  const file = put('fb-2.63.db')
  const before = readdirSync(base)
  const planned = await plan(file)
  t.strictSame(readdirSync(base), before)
  t.strictSame(await load(file), { ...planned, isWritten: true })
})

t.test(
  'users of File Browser 1 arrive with their permissions, the site and shares of existing files',
  async (t) => {
    const { root, put, load, state } = await importWorld(t)
    mkdirSync(join(root, 'public'))
    const file = put(
      'v1.db',
      writeBolt({
        config: [
          ['key', 'c2VjcmV0'],
          ['css', 'body {}'],
          ['commands', { before_publish: ['one'], after_save: ['rm -r $ROOT/x', 'two'] }],
          [
            'staticgen_hugo',
            { Root: root, Public: `${root}/public`, Exe: 'hugo', Args: ['--gc'], CleanPublic: true },
          ],
        ],
        User: [
          [
            idKey(1),
            {
              ID: 1,
              username: 'admin',
              password: admin.password,
              admin: true,
              filesystem: root,
              viewMode: 'list',
            },
          ],
          [
            idKey(7),
            {
              ...{
                ID: 7,
                username: 'carol',
                password: admin.password,
                filesystem: `${root}/docs`,
                css: 'a {}',
              },
              ...{
                allowEdit: true,
                allowNew: false,
                allowCommands: true,
                allowPublish: true,
                commands: ['git'],
              },
              ...{
                locale: 'pt-br',
                lockPassword: true,
                viewMode: 'mosaic',
                rules: [{ regex: false, allow: false, path: '/x' }],
              },
            },
          ],
        ],
        ShareLink: [
          [
            'aaaaaaaa',
            {
              hash: 'aaaaaaaa',
              path: `${root}/docs/a.txt`,
              expires: false,
              expireDate: '0001-01-01T00:00:00Z',
            },
          ],
          [
            'bbbbbbbb',
            { hash: 'bbbbbbbb', path: `${root}/photos`, expires: true, expireDate: '2129-01-01T00:00:00Z' },
          ],
          ['cccccccc', { hash: 'cccccccc', path: '/etc/passwd', expires: false }],
          [
            'dddddddd',
            { hash: 'dddddddd', path: `${root}/docs`, expires: true, expireDate: '2019-01-01T00:00:00Z' },
          ],
        ],
      }),
    )
    const { lines, flags } = await load(file)
    t.match(state().users[7], {
      ...{ username: 'carol', scope: '/docs', locale: 'pt-br', lockPassword: true, commands: ['git'] },
      rules: [{ path: '/x', allow: false }],
      perm: {
        ...{ admin: false, execute: true, create: false, rename: true, modify: true, delete: true },
        ...{ share: true, download: true, publish: true },
      },
    })
    t.match(state().settings, {
      staticGen: { Root: '/', Public: '/public', Exe: 'hugo', Args: ['--gc'], CleanPublic: true },
      commands: { before_publish: ['one'], after_save: ['two'] },
    })
    t.match(state().shares, {
      aaaaaaaa: { userID: 1, path: '/docs/a.txt', expire: 0 },
      bbbbbbbb: { userID: 1, path: '/photos', expire: Date.parse('2129-01-01T00:00:00Z') / 1000 },
    })
    t.equal(Object.keys(state().shares).length, 2)
    t.strictSame(
      lines.filter(({ outcome }) => outcome === 'dropped').map(({ name, detail }) => `${name}: ${detail}`),
      [
        'commands: after_save: rm -r $ROOT/x (Coffer does not set $ROOT)',
        'css: put it into custom.css in the branding folder',
        'carol: the style sheet of a user: use custom.css in the branding folder',
        'cc… /etc/passwd of nobody: it is not in the folder of an administrator',
        'dd… /docs of admin: it has expired',
      ],
    )
    t.ok(flags.includes('--staticgen'))
  },
)

t.test('shares that visitors cannot open are dropped, each with its reason', async (t) => {
  const { base, put, load, state } = await importWorld(t)
  const share = (hash: string, more: object) =>
    [hash, { hash, path: '/docs/a.txt', userID: 1, expire: 0, ...more }] as const
  const { lines } = await load(
    put(
      'shares.db',
      writeBolt({
        User: [[idKey(1), admin]],
        Link: [
          share('aaaaaaaa', {}),
          share('bbbbbbbb', { path: '/docs/missing.txt' }),
          share('cccccccc', { userID: 9 }),
          share('dddddddd', { expire: 1_500_000_000 }),
          share('eeeeeeee', {
            password_hash: '$2a$31$j3CgFYP.kXHbVPU77FjnGOzTTHWPYGWRfXqWDGhdWx/XzpaVWFeU6',
          }),
          share('ffffffff', { password_hash: 'x' }),
          share('g', {}),
          share('hhhhhhhh/..', {}),
          share('iiiiiiii', { path: '../../../../etc/passwd' }),
          share('__proto__', {}),
          share('jjjjjjjj', { expire: 8e15 }),
        ],
      }),
    ),
  )
  t.strictSame(Object.keys(state().shares).sort(), ['__proto__', 'aaaaaaaa'])
  const { call } = await start(t, { base, onDisk: true })
  for (const hash of ['__proto__', 'aaaaaaaa'])
    t.match((await call('GET', `/api/public/share/${hash}`)).json(), { name: 'a.txt' })
  const reasons = lines.filter(({ kind, outcome }) => kind === 'share' && outcome === 'dropped')
  t.equal(reasons.length, 9)
  for (const part of [
    'does not exist',
    'owner',
    'expired',
    'cost 31',
    'not a bcrypt',
    'id is not',
    'not a time',
  ])
    t.ok(
      reasons.some(({ detail }) => detail.includes(part)),
      part,
    )
})

t.test('an import of users removes what belonged to the old users with the same ids', async (t) => {
  const { base, put, load, state } = await importWorld(t)
  await load(put('fb-2.63.db'))
  const first = await start(t, { base, onDisk: true })
  const payload = { username: 'admin', password: 'Sample-Admin-1' }
  const token = (await first.call('POST', '/api/login', { payload })).body
  const headers = { 'x-auth': token }
  t.equal((await first.call('GET', '/api/resources/', { headers })).statusCode, 200)
  const upload = { ...headers, 'upload-length': '5', 'tus-resumable': '1.0.0' }
  t.equal((await first.call('POST', '/api/tus/new.txt', { headers: upload })).statusCode, 201)
  await first.close()
  const folder = join(base, 'state.d')
  const schedule = { id: 'aaaa', kind: 'schedule', userId: 1, username: 'admin', path: '/x', at: 9e12 }
  const run = { ...schedule, id: 'bbbb', kind: 'run', outcome: 'ok', output: '', started: 1, duration: 1 }
  for (const record of [schedule, run])
    writeFileSync(join(folder, 'site', `${record.id}.json`), JSON.stringify(record))
  t.equal(readdirSync(join(folder, 'sessions')).length, 1)
  t.equal(
    readdirSync(join(base, 'root')).filter((name) => name.startsWith('.')).length,
    1,
    'the received part',
  )

  const old = state()
  const { backup, lines } = await load(
    put('users.json', [
      { ...admin, username: 'other' },
      { ...admin, id: 5, username: 'alice' },
    ]),
  )
  t.strictSame(JSON.parse(readFileSync(backup ?? '', 'utf8')), old, 'the copy is complete')
  t.strictSame(readdirSync(join(folder, 'sessions')), [])
  t.strictSame(readdirSync(join(folder, 'uploads')), [])
  t.strictSame(readdirSync(join(folder, 'site')), ['bbbb.json'], 'finished runs stay')
  t.notOk(
    readdirSync(join(base, 'root')).some((name) => name.startsWith('.')),
    'the received part is removed',
  )
  t.strictSame(state().shares, {}, 'the shares of the old users are gone')
  t.equal(lines.filter(({ kind, outcome }) => kind === 'share' && outcome === 'dropped').length, 4)
  t.equal(state().nextUserId, 6)
  t.strictSame(state().settings, old.settings)
  const second = await start(t, { base, onDisk: true })
  t.equal((await second.call('GET', '/api/resources/', { headers })).statusCode, 401)
})

t.test('an import of users keeps the shares of users with the same id and name', async (t) => {
  const { put, load, state } = await importWorld(t)
  await load(put('fb-2.23.db'))
  const { shares } = state()
  await load(put('fb-2.23-users.json'))
  t.strictSame(state().shares, shares)
  t.equal(state().nextUserId, 4)
})

t.test('an import of the configuration changes only the settings', async (t) => {
  const { base, put, load, state } = await importWorld(t)
  await load(put('fb-2.63.db'))
  mkdirSync(join(base, 'state.d', 'sessions'))
  writeFileSync(join(base, 'state.d', 'sessions', 'aaaa.json'), '{"id":"aaaa"}')
  const before = state()
  await load(put('config.json', { Settings: { Signup: false, Branding: { Name: 'New' } } }))
  t.match(state().settings, {
    signup: false,
    branding: { name: 'New', disableExternal: false },
    createUserDir: true,
  })
  t.strictSame({ ...state(), settings: 0 }, { ...before, settings: 0 })
  t.ok(existsSync(join(base, 'state.d', 'sessions', 'aaaa.json')))
})

t.test('nothing is written unless all of it can be imported', async (t) => {
  const { base, root, put, load } = await importWorld(t)
  const users = (...list: object[]) => list.map((one, n) => ({ ...admin, id: n + 1, ...one }))
  const refused: [content: unknown, reason: RegExp][] = [
    [users({ perm: {} }), /^No administrator would exist/],
    [{ settings: {} }, /^No administrator would exist/],
    [[], /contains no users/],
    [{}, /neither a database nor an export/],
    ['', /it is empty/],
    ['just text', /neither a database nor an export/],
    ['{"settings":', /not valid JSON/],
    ['- a: [', /not valid YAML/],
    ['a: &a [x]\nb: *a', /not valid YAML|neither/],
    [Buffer.alloc(70_000, 0xff), /neither a database nor an export/],
    [{ nextUserId: 1, credentials: {} }, /state of Coffer/],
    [users({ username: 5 }), /username of user 1 must be text/],
    [users({}, { perm: { admin: 'yes' } }), /admin of perm of user 2 must be true or false/],
    [users({ scope: 'a\u0000b' }), /scope of user 1 cannot be used/],
    [users({ rules: {} }), /rules of user 1 must be a list/],
    [users({ rules: Array(1001).fill({}) }), /more than 1000 rules/],
    [[1], /user 1 must be an object/],
    ['['.repeat(100_000), /not valid JSON/],
    [`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, /user 1 must be an object|not valid JSON/],
    ['- '.repeat(20_000), /not valid YAML|must be an object/],
    [{ settings: { signup: 1 } }, /signup of the settings must be true or false/],
    [writeBolt({ User: [[idKey(1), { ...admin, id: 2 }]] }), /key of a user is not the id/],
    [writeBolt({ User: [[idKey(1), Buffer.from('{')]] }), /not valid JSON/],
    [writeBolt({ Other: [['a', 1]] }), /contains neither settings nor users/],
    [writeBolt({ User: [[idKey(1), admin]], Link: [['a', { hash: 'b' }]] }), /key of share 1 is not its id/],
  ]
  for (const [content, message] of refused) {
    await t.rejects(load(put('file', content)), { name: 'StartupProblem', message })
    t.strictSame(readdirSync(base).sort(), ['files', 'root'], String(message))
  }
  const file = put('users.json', users({}))
  await t.rejects(load(file, put('more.json', users({}))), { message: /both contain users/ })
  await t.rejects(load(file, put('fb-2.63.db')), { message: /both contain users/ })
  await t.rejects(load(join(base, 'none')), { message: /does not exist/ })
  await t.rejects(load(root), { message: /is not a file/ })
  t.strictSame(readdirSync(base).sort(), ['files', 'root'])
})

t.test('a file cannot send commands to the terminal', async (t) => {
  const { put, plan } = await importWorld(t)
  const evil = '\u001b]0;title\u0007\u202e'
  const { lines } = await plan(
    put('users.json', [{ ...admin, username: `a${evil}`, locale: evil, aceEditorTheme: evil }]),
  )
  t.notMatch(JSON.stringify(lines), /\\u001b|\\u0007|\u202e/)
  const error = await plan(put('bad.json', `{"${evil}`)).catch((refused: Error) => refused)
  t.match(error, { name: 'StartupProblem', message: /^[^\p{Cc}]* is not valid JSON [^\p{Cc}]*$/u })
})

t.test('a server that uses the state keeps it, and a dry run works meanwhile', async (t) => {
  const { base, put, load, plan, state } = await importWorld(t)
  await load(put('fb-2.63.db'))
  const before = state()
  const lock = await lockProcess(join(base, 'state.d'))
  await t.rejects(load(put('fb-2.23.db')), { message: /^Another Coffer process uses the state/ })
  t.equal((await plan(put('fb-2.23.db'))).isWritten, false)
  await lock.close()
  t.strictSame(state(), before)
})

t.test('the superuser is reminded of the owner, and of a database in the root', async (t) => {
  const { root, config, load } = await importWorld(t)
  const file = join(root, 'filebrowser.db')
  writeFileSync(file, sample('fb-2.63.db'))
  t.match((await load(file)).advice.join('\n'), `Move ${file} out of the root: users can download it`)
  if (process.getuid?.() !== 0) return
  chownSync(root, 1234, 1234)
  t.match(
    (await importFiles(config, { files: [file], isDryRun: false })).advice.join('\n'),
    /runs as user 1234/,
  )
})

for (const [name, disk] of Object.entries(smallDisks).slice(0, 2)) {
  t.test(
    `on ${name}, a failed import leaves the state as it was, and a first one leaves nothing`,
    async (t) => {
      const { put } = await importWorld(t)
      const place = mountSmall(t, disk.kind)
      if (!place) return void t.pass(name, { skip: 'this system does not allow a mount' })
      mkdirSync(join(place, 'root', 'docs'), { recursive: true })
      mkdirSync(join(place, 'state'))
      const database = join(place, 'state', 'state.json')
      const config = await loadConfig(['--root', join(place, 'root'), '--database', database], {})
      const load = () => importFiles(config, { files: [put('fb-2.63.db')], isDryRun: false })
      const problem = {
        name: 'StartupProblem',
        message: /^The state cannot be (written|stored) /,
      }
      fillUp(join(place, 'fill'), disk.runsOut)
      await t.rejects(load(), problem)
      t.strictSame(readdirSync(join(place, 'state')), [])
      rmSync(join(place, 'fill'), { recursive: true })
      await load()
      const schedule = { id: 'aaaa', kind: 'schedule', userId: 1 }
      mkdirSync(join(place, 'state', 'state.d', 'site'))
      writeFileSync(join(place, 'state', 'state.d', 'site', 'aaaa.json'), JSON.stringify(schedule))
      const before = readFileSync(database, 'utf8')
      fillUp(join(place, 'fill'), disk.runsOut)
      await t.rejects(load(), problem)
      t.equal(readFileSync(database, 'utf8'), before)
      t.strictSame(readdirSync(join(place, 'state', 'state.d', 'site')), ['aaaa.json'])
      t.notOk(readdirSync(join(place, 'state')).some((name) => name.includes('before-import')))
    },
  )
}

t.test('a damaged state is neither replaced nor removed', async (t) => {
  const { database, put, load } = await importWorld(t)
  writeFileSync(database, '{"version": 4}')
  await t.rejects(load(put('fb-2.63.db')), { message: /is damaged/ })
  t.equal(readFileSync(database, 'utf8'), '{"version": 4}')
})

t.test('the import at the first start does nothing once a state exists, or without a database', async (t) => {
  const { base, database, config, put, state } = await importWorld(t)
  const lines: string[] = []
  const first = (file: string) => importAtFirstStart(config, file, (line) => void lines.push(line))
  await first(join(base, 'none.db'))
  await first(put('empty.db', ''))
  t.equal(lines.length, 2)
  t.notOk(existsSync(database))
  await first(put('fb-2.63.db'))
  t.equal(state().users[2].username, 'alice')
  const before = state()
  lines.length = 0
  await first(put('fb-2.1.db'))
  t.match(lines, [/has a state .* already/])
  t.strictSame(state(), before)
})

t.test('two imports at the same time do not mix', async (t) => {
  const { config, put, state } = await importWorld(t)
  const files = [put('fb-2.63.db'), put('fb-2.1.db')]
  const results = await Promise.allSettled(
    files.map((file) => importFiles(config, { files: [file], isDryRun: false })),
  )
  t.ok(results.some(({ status }) => status === 'fulfilled'))
  for (const result of results)
    if (result.status === 'rejected') t.match(result.reason, { message: /^Another Coffer process/ })
  t.ok([4, 8].includes(Object.keys(state().shares).length))
})
