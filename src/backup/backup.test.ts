import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { backupOf, changeState, entriesOf, tarOf } from '#src/testing/backups.ts'
import { runCommand, startInstance } from '#src/testing/instance.ts'
import { openFolder, otherUser } from '#src/testing/other-user.ts'
import { serveAs } from '#src/testing/program.ts'
import { cheapHash, password } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'

/** A folder with a state and branding files, and functions that start the server and run commands on it. */
async function instance(t: Test, folder = t.testdir({})) {
  const root = join(folder, 'files')
  const brand = join(folder, 'brand')
  mkdirSync(join(root, 'docs'), { recursive: true })
  mkdirSync(join(brand, 'img'), { recursive: true })
  writeFileSync(join(root, 'docs', 'a.txt'), 'shared text')
  writeFileSync(join(brand, 'img', 'logo.svg'), '<svg>first</svg>')
  const state = () => JSON.parse(readFileSync(`${root}.coffer.json`, 'utf8'))
  const running: (() => Promise<void>)[] = []
  t.teardown(async () => {
    for (const close of running) await close()
  })

  async function serve() {
    const server = await startInstance(root, cheapHash)
    running.push(server.close)
    const call = async (method: string, path: string, { token = '', body = '' } = {}) => {
      const headers = { 'X-Auth': token }
      const response = await fetch(server.url + path, { method, headers, ...(body && { body }) })
      return { status: response.status, text: await response.text() }
    }
    const login = async (username: string, secret = password) =>
      call('POST', 'api/login', { body: JSON.stringify({ username, password: secret }) })
    return { ...server, call, login }
  }

  const warnings: string[] = []
  const coffer = (words: string, input: Readable = Readable.from([])) =>
    runCommand(root, words.split(' '), input, (line) => void warnings.push(line))
  const json = async (words: string) => JSON.parse(await coffer(`${words} --json`))
  const file = join(folder, 'backup.tar')
  const saved = () => globSync(join(folder, 'files.coffer.d', 'before-restore-*.tar')).sort()
  const staged = () => globSync(join(folder, 'files.coffer.d', 'restore', '*'))
  return { folder, root, brand, file, state, serve, coffer, json, warnings, saved, staged }
}

for (const isRunning of [true, false]) {
  const when = isRunning ? 'while the server runs' : 'while no server runs'
  t.test(`a restore brings back users, rules, shares, settings and branding files ${when}`, async (t) => {
    const { root, brand, file, serve, coffer, json, saved, staged } = await instance(t)
    let server = await serve()
    const admin = (await server.login('admin')).text
    await coffer(`config set --branding.files ${brand} --branding.name Family`)
    await coffer('users add bob --scope /docs', Readable.from(['a long enough phrase\n']))
    await coffer('rules add /private')
    const share = JSON.parse((await server.call('POST', 'api/share/docs/a.txt', { token: admin })).text)
    if (!isRunning) await server.close()
    await coffer(`backup ${file}`)
    t.equal(statSync(file).mode & 0o777, 0o600)

    await coffer('users rm bob')
    await coffer('users add carl', Readable.from(['a long enough phrase\n']))
    await coffer('rules rm 0')
    await coffer('config set --branding.name Other')
    writeFileSync(join(brand, 'img', 'logo.svg'), '<svg>second</svg>')
    writeFileSync(join(brand, 'custom.css'), 'body{}')
    if (isRunning) {
      const mine = await server.call('GET', 'api/shares', { token: admin })
      const [{ hash }] = JSON.parse(mine.text)
      await server.call('DELETE', `api/share/${hash}`, { token: admin })
      t.equal((await server.call('GET', `api/public/share/${share.hash}`)).status, 404)
      t.match((await server.call('GET', 'static/img/logo.svg')).text, /second/)
      t.equal((await server.call('GET', 'api/resources/', { token: admin })).status, 200)
    }

    const plan = await json(`restore ${file} -n`)
    t.match(plan.parts.state.users, { added: ['bob'], removed: ['carl'], changed: [] })
    t.match(plan.parts.state.settings, ['rules', 'branding'])
    t.match(plan.parts.branding, { replaced: ['/img/logo.svg'], added: [], same: [] })
    t.equal(plan.before, undefined)
    t.match(
      await json('users ls'),
      [{ username: 'admin' }, { username: 'carl' }],
      'a dry run changes nothing',
    )

    t.match(await coffer(`restore ${file}`), /^Restored the backup of .*\n- users added: bob\n/s)
    if (!isRunning) server = await serve()
    t.match(await json('users ls'), [{ username: 'admin' }, { username: 'bob', id: 2, scope: '/docs' }])
    t.equal((await server.login('bob', 'a long enough phrase')).status, 200)
    t.equal((await server.login('carl', 'a long enough phrase')).status, 403)
    t.equal((await server.call('GET', 'api/resources/', { token: admin })).status, 401, 'sessions end')
    t.match((await server.call('GET', `api/public/share/${share.hash}`)).text, /a\.txt/)
    t.match((await server.call('GET', 'static/img/logo.svg')).text, /first/)
    t.ok(existsSync(join(brand, 'custom.css')), 'files that the backup does not have stay')
    mkdirSync(join(root, 'private'))
    const again = (await server.login('admin')).text
    t.equal((await server.call('GET', 'api/resources/private', { token: again })).status, 403)
    t.equal((await json('config cat')).branding.name, 'Family')
    await coffer('users add dan', Readable.from(['a long enough phrase\n']))
    t.match(await json('users find dan'), [{ id: 4 }], 'ids are never used again')

    const [present = ''] = saved()
    t.equal(statSync(present).mode & 0o777, 0o600)
    t.strictSame(staged(), [])
    await coffer(`restore ${present}`)
    t.match(await json('users ls'), [{ username: 'admin' }, { username: 'carl' }], 'a restore can be undone')
    t.equal(readFileSync(join(brand, 'img', 'logo.svg'), 'utf8'), '<svg>second</svg>')
    t.equal(saved().length, 2)
  })
}

t.test(
  'sessions continue after a restore only if the backup has them and the operator wants it',
  async (t) => {
    const { file, folder, serve, coffer } = await instance(t)
    const server = await serve()
    const list = async (token: string) => (await server.call('GET', 'api/resources/', { token })).status
    const { text: old } = await server.login('admin')
    await coffer(`backup ${file}`)
    const withSessions = join(folder, 'sessions.tar')
    await coffer(`backup ${withSessions} --with-sessions`)
    await coffer('users add bob', Readable.from(['a long enough phrase\n']))
    const { text: later } = await server.login('bob', 'a long enough phrase')
    await t.rejects(coffer(`restore ${file} --sessions`), { message: /contains no sessions/ })
    t.equal(await list(later), 200)
    await coffer(`restore ${withSessions} --sessions`)
    t.strictSame([await list(old), await list(later)], [200, 401])
    await coffer(`restore ${withSessions}`)
    t.equal(await list(old), 401)
    await server.close()
    const restarted = await serve()
    t.equal((await restarted.call('GET', 'api/resources/', { token: old })).status, 401)
  },
)

t.test(
  'a backup never replaces a file by mistake, and never goes where users or Coffer would find it',
  async (t) => {
    const { folder, root, file, serve, coffer, warnings } = await instance(t)
    await (await serve()).close()
    await coffer(`backup ${file}`)
    t.match(warnings.join(' '), /keep it as safe as the state file/)
    const first = readFileSync(file)
    await t.rejects(coffer(`backup ${file}`), {
      name: 'StartupProblem',
      message: /exists: choose another name/,
    })
    t.ok(readFileSync(file).equals(first))
    await coffer(`backup ${file} --force`)
    t.notOk(readFileSync(file).equals(first))
    const cases: [place: string, message: RegExp][] = [
      [join(root, 'x.tar'), /Users could download/],
      [`${root}.coffer.json`, /belongs to the state/],
      [join(`${root}.coffer.d`, 'x.tar'), /belongs to the state/],
      [folder, /is not a regular file/],
      [join(folder, 'no', 'x.tar'), /cannot be written \(ENOENT\)/],
    ]
    for (const [place, message] of cases)
      await t.rejects(coffer(`backup ${place} --force`), { message }, place)
    await t.rejects(coffer(`restore ${folder}`), { message: /is a folder/ })
    await t.rejects(coffer(`restore ${folder}/no.tar`), { message: /cannot be read \(ENOENT\)/ })
    t.strictSame(readdirSync(folder).sort(), [
      'backup.tar',
      'brand',
      'files',
      'files.coffer.d',
      ...states(folder),
    ])
  },
)

const states = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('files.coffer.json'))

t.test('a running server says why it refuses a backup, also while it still receives it', async (t) => {
  const { root, file, serve, coffer } = await instance(t)
  await serve()
  const before = readFileSync(`${root}.coffer.json`)
  const large = Buffer.alloc(24 * 1024 ** 2, 'no backup')
  const outside = { part: 'branding', name: 'branding/img/../../x.svg', content: large.toString() }
  const cases: [archive: Buffer, message: RegExp][] = [
    [large, /not a complete tar archive/],
    [await tarOf([{ name: 'a', content: large }]), /not written by coffer backup/],
    [await backupOf([outside]), /has a file with the name/],
  ]
  for (const [archive, message] of cases) {
    writeFileSync(file, archive)
    await t.rejects(coffer(`restore ${file}`), { message })
  }
  t.same(readFileSync(`${root}.coffer.json`), before)
})

t.test('links and files that Coffer does not serve are not in a backup', async (t) => {
  const { folder, brand, file, serve, coffer, json, warnings } = await instance(t)
  await (await serve()).close()
  writeFileSync(join(folder, 'secret.svg'), 'secret')
  symlinkSync(join(folder, 'secret.svg'), join(brand, 'img', 'link.svg'))
  writeFileSync(join(brand, 'img', 'notes.txt'), 'x')
  writeFileSync(join(brand, 'key.pem'), 'x')
  writeFileSync(join(brand, 'img', 'empty.png'), '')
  writeFileSync(join(brand, 'img', `${'ä long name '.repeat(15)}#.svg`), 'x')
  writeFileSync(join(brand, 'img', 'large.png'), Buffer.alloc(5 * 1024 ** 2 + 1))
  await coffer(`config set --branding.files ${brand}`)
  const { parts } = await json(`backup ${file}`)
  t.equal(parts.branding, 3)
  t.match(warnings.join(' '), /link .*img\/link\.svg .*is not in the backup/)
  rmSync(join(brand, 'img'), { recursive: true })
  await coffer(`restore ${file}`)
  t.equal(readdirSync(join(brand, 'img')).length, 3)
  await coffer(`config set --branding.files=`)
  rmSync(brand, { recursive: true })
  writeFileSync(brand, 'a file is in the way')
  await t.rejects(coffer(`restore ${file}`), { message: /branding file .*--without-branding/ })
  t.equal((await json('config cat')).branding.files, '', 'nothing has changed')
  t.match(await json(`restore ${file} --without-branding`), { parts: { state: { settings: ['branding'] } } })
  rmSync(brand)
  await coffer(`backup ${file} --force`)
  t.match(warnings.join(' '), /The branding folder .* is not in the backup/)
})

t.test(
  'a branding file that the server cannot read is left out of a backup, and is never replaced',
  async (t) => {
    const { folder, root, brand, file, serve, coffer, json, warnings } = await instance(t, openFolder(t))
    await (await serve()).close()
    await coffer(`config set --branding.files ${brand}`)
    const closed = join(brand, 'img', 'closed.svg')
    writeFileSync(closed, 'x')
    mkdirSync(join(brand, 'img', 'private'))
    await coffer(`backup ${file}`)
    for (const path of [closed, join(brand, 'img', 'private')]) chmodSync(path, 0)
    if (otherUser)
      for (const path of ['.', ...globSync('**', { cwd: folder })])
        chownSync(join(folder, path), otherUser.uid, otherUser.gid)
    // The commands reach this server through its socket.
    await serveAs(t, otherUser, root)
    const { parts } = await json(`backup ${join(folder, 'other.tar')}`)
    t.equal(parts.branding, 1)
    t.match(warnings.join(' '), /\/img\/closed\.svg of the branding folder is not in the backup: .* denies/)
    t.match(warnings.join(' '), /\/img\/private of the branding folder is not in the backup: .* denies/)
    await t.rejects(coffer(`restore ${file}`), {
      message: /closed\.svg cannot be replaced .*--without-branding/,
    })
    t.match(await coffer(`restore ${file} --without-branding`), /^Restored/)
    writeFileSync(join(brand, 'img', 'logo.svg'), '<svg>second</svg>')
    t.match(await json(`restore ${join(folder, 'other.tar')}`), { unfinished: [] })
    t.match(readFileSync(join(brand, 'img', 'logo.svg'), 'utf8'), /first/)
  },
)

t.test('on another disk, a share opens the file at its path', async (t) => {
  const { folder, root, file, serve, coffer, json, state } = await instance(t)
  const server = await serve()
  const { text: token } = await server.login('admin')
  for (const path of ['docs/a.txt', 'docs']) await server.call('POST', `api/share/${path}`, { token })
  const hashes = Object.keys(state().shares)
  await server.close()
  await coffer(`backup ${file}`)

  rmSync(join(root, 'docs', 'a.txt'))
  writeFileSync(join(root, 'docs', 'other'), '')
  writeFileSync(join(root, 'docs', 'a.txt'), 'another file with the same name')
  t.match((await json(`restore ${file}`)).parts.state.shares, { total: 2, rebound: 0, missing: 1 })
  t.match((await json(`restore ${file} -n --rebind-shares`)).parts.state.shares, { rebound: 1, missing: 0 })

  const elsewhere = await instance(t, join(folder, 'elsewhere'))
  await (await elsewhere.serve()).close()
  t.match((await elsewhere.json(`restore ${file}`)).parts.state.shares, { total: 2, rebound: 2, missing: 0 })
  const other = await elsewhere.serve()
  for (const hash of hashes) t.equal((await other.call('GET', `api/public/share/${hash}`)).status, 200)
})

t.test('a backup of an older version of the state is migrated', async (t) => {
  const { file, serve, coffer, json } = await instance(t)
  await (await serve()).close()
  await coffer(`backup ${file}`)
  await changeState(file, (state) => {
    state.version = 1
    for (const one of [state.settings.defaults, ...Object.values(state.users)] as Record<string, unknown>[]) {
      delete one.theme
      delete one.aceEditorTheme
    }
    delete state.shares
    delete state.settings.tus
  })
  await coffer(`restore ${file}`)
  t.match(await json('users ls'), [{ username: 'admin', theme: '', aceEditorTheme: '' }])
})

t.test('a change during a restore is in the present or in what was saved before', async (t) => {
  const { file, serve, coffer, json, saved } = await instance(t)
  await serve()
  await coffer(`backup ${file}`)
  const changes = Array.from({ length: 12 }, (_, at) => coffer(`rules add /r${at}`))
  await Promise.all([...changes, coffer(`restore ${file}`), coffer(`restore ${file}`)])
  t.equal(saved().length, 2, 'two restores run one after the other')
  const states = [{ settings: { rules: await json('rules ls') } }]
  for (const one of saved()) {
    const state = (await entriesOf(readFileSync(one))).find(({ name }) => name === 'state.json')
    states.push(JSON.parse(String(state?.content)))
  }
  const paths = states.flatMap(({ settings }) => settings.rules.map(({ path }: { path: string }) => path))
  t.equal(new Set(paths).size, 12)
})

t.test('the server refuses a backup before it has received all of it', async (t) => {
  const { file, serve, coffer, json, staged } = await instance(t)
  const server = await serve()
  await coffer(`backup ${file}`)
  const bytes = readFileSync(file)
  const noise = Readable.from(endless(Buffer.alloc(65_536, 'x')))
  await t.rejects(coffer('restore -', noise), { message: /not a complete tar archive/ })
  const bomb = Readable.from(endless(Buffer.alloc(65_536), bytes.subarray(0, 512)))
  await t.rejects(coffer('restore -', bomb), { message: /cannot be used/ })
  const cut = new PassThrough()
  cut.write(bytes.subarray(0, bytes.length - 3000))
  const restoring = coffer('restore -', cut)
  await until(() => staged().length > 0)
  cut.destroy(new Error('the operator has left'))
  await t.rejects(restoring)
  await until(() => staged().length === 0)
  t.equal((await json('users ls')).length, 1, 'the server goes on')
  await server.close()
})

function* endless(chunk: Buffer, first = Buffer.alloc(0)): Generator<Buffer> {
  yield first
  for (;;) yield chunk
}

t.test('publications are scheduled again, except those whose time has passed', async (t) => {
  const { folder, file, serve, coffer, json } = await instance(t)
  await (await serve()).close()
  const site = join(folder, 'files.coffer.d', 'site')
  const later = Date.now() + 60 * 60_000
  const schedule = { kind: 'schedule', userId: 1, username: 'admin' }
  const put = (record: { id: string }) =>
    writeFileSync(join(site, `${record.id}.json`), JSON.stringify(record))
  put({ ...schedule, id: 'next', path: '/next.md', at: later } as never)
  put({ ...schedule, id: 'past', path: '/past.md', at: 1000 } as never)
  await coffer(`backup ${file}`)
  for (const name of readdirSync(site)) rmSync(join(site, name))
  put({ ...schedule, id: 'new', path: '/new.md', at: later } as never)
  const text = await coffer(`restore ${file} --dry-run`)
  t.match(text, /not scheduled, because its time has passed: \/past.md/)
  t.match((await json(`restore ${file}`)).parts.site, { schedules: 1, missed: [{ path: '/past.md' }] })
  t.strictSame(readdirSync(site), ['next.json'])
})

t.test('the unfinished uploads of a user who is gone after a restore end', async (t) => {
  const { folder, file, serve, coffer } = await instance(t)
  const server = await serve()
  await coffer(`backup ${file}`)
  await coffer('users add bob --scope /docs', Readable.from(['a long enough phrase\n']))
  for (const [name, secret] of [
    ['admin', password],
    ['bob', 'a long enough phrase'],
  ]) {
    const { text } = await server.login(String(name), secret)
    const headers = { 'X-Auth': text, 'Upload-Length': '5', 'Tus-Resumable': '1.0.0' }
    const begun = await fetch(`${server.url}api/tus/${name}.bin`, { method: 'POST', headers })
    t.equal(begun.status, 201)
  }
  const uploads = join(folder, 'files.coffer.d', 'uploads')
  t.equal(readdirSync(uploads).length, 2)
  await coffer(`restore ${file}`)
  const left = readdirSync(uploads).map((name) => JSON.parse(readFileSync(join(uploads, name), 'utf8')))
  t.match(left, [{ userId: 1 }])
  t.equal(left.length, 1)
  t.strictSame(readdirSync(join(folder, 'files', 'docs')), ['a.txt'], 'its temporary file is removed')
})
