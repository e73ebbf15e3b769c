import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import { createOfflineDoctor } from '#src/start/doctor.ts'
import { fakeClamd } from '#src/testing/clamd.ts'
import { mountSilent } from '#src/testing/silent-disk.ts'
import { start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { checkLinks } from './checks/links.ts'
import { finding } from './findings/finding.ts'
import { runChecks } from './run-checks.ts'

const isSuperuser = process.geteuid?.() === 0
const dayMs = 24 * 60 * 60_000

/** A stopped instance with these files and users, and functions that check it and change its state. */
async function instance(t: Test, options: Parameters<typeof start>[1] = {}) {
  const started = await start(t, { ...options, onDisk: true })
  await started.close()
  const { config, root, base } = started
  const file = config.database
  const folder = join(base, 'state.d')
  chmodSync(folder, 0o700)
  const check = async (changes: Partial<Config> = {}, fix = false) => {
    const { findings, fixed } = await createOfflineDoctor({ ...config, ...changes }).check({ fix })
    const bad = findings.filter(({ level, id }) => level !== 'ok' && id !== 'options.root')
    return { ids: bad.map(({ id }) => id), bad, fixed, text: bad.map(({ text }) => text).join('\n') }
  }
  const edit = (change: (state: ReturnType<typeof JSON.parse>) => void) => {
    const state = JSON.parse(readFileSync(file, 'utf8'))
    change(state)
    writeFileSync(file, JSON.stringify(state))
  }
  return { ...started, root, base, file, folder, check, edit }
}

t.test('finds nothing wrong in a new instance', async (t) => {
  const { check } = await instance(t, { tree: { 'a.txt': 'x' }, people: { bob: {} } })
  t.strictSame((await check()).ids, [])
})

t.test('finds files of Coffer that other users can read, and --fix changes their modes', async (t) => {
  const { check, file, folder, base } = await instance(t)
  const secret = join(base, 'secret')
  writeFileSync(secret, 'of somebody else', { mode: 0o644 })
  chmodSync(file, 0o644)
  chmodSync(folder, 0o755)
  symlinkSync(secret, `${file}.aside`)
  const before = await check()
  t.ok(
    before.ids.includes('modes.state-file') && before.ids.includes('modes.folder-of-the-state'),
    before.text,
  )
  t.match(
    before.bad.find(({ id }) => id === 'modes.state-file'),
    {
      level: 'error',
      fix: 'mode',
      lines: [{ where: 'shell', text: `chmod 0600 ${file}` }],
    },
  )
  const { fixed, ids } = await check({}, true)
  t.equal(fixed.length, 2, fixed.join('\n'))
  t.strictSame(
    ids.filter((id) => id.startsWith('modes')),
    [],
  )
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(statSync(folder).mode & 0o777, 0o700)
  t.equal(statSync(secret).mode & 0o777, 0o644, 'no symbolic link is followed')
})

t.test('finds what killed processes left behind, and --fix removes it when it is old', async (t) => {
  const { check, file, folder, base, root } = await instance(t)
  const old = new Date(Date.now() - 2 * dayMs)
  const cacheDir = join(base, 'cache')
  mkdirSync(cacheDir, { mode: 0o700 })
  const leave = (path: string, isOld = true, content = 'x') => {
    writeFileSync(path, content, { mode: 0o600 })
    if (isOld) utimesSync(path, old, old)
    return path
  }
  const gone = [
    leave(join(folder, 'sessions', 'abc.json.new')),
    leave(`${file}.new`),
    leave(join(folder, '.coffer-doctor-Ab_12x-y.probe'), true, 'probe'),
    leave(join(cacheDir, '.coffer-doctor-12345678.probe'), true, ''),
  ]
  const kept = [
    leave(join(folder, 'sessions', 'new.json.new'), false),
    leave(join(folder, 'sessions', 'notes.txt')),
    leave(join(root, 'mine.json.new')),
    leave(join(base, 'other.json.new')),
    ...[folder, cacheDir, base].map((place) => leave(join(place, 'doctor-appointments'))),
    leave(join(cacheDir, '.coffer-doctor-Ab_12x-z.probe'), true, 'notes'),
    leave(join(cacheDir, '.coffer-doctor-Ab_12x-y.probe.txt'), true, 'probe'),
  ]
  // The path of the fixture is too long for a socket.
  const handle = openSync(folder, 'r')
  const live = createServer().listen(`/proc/self/fd/${handle}/lock-live`)
  t.teardown(() => {
    live.close()
    closeSync(handle)
  })
  await new Promise((resolve) => live.once('listening', resolve))
  utimesSync(join(folder, 'lock-live'), old, old)
  const dead = join(folder, 'new-dead')
  const script =
    "require('net').createServer().listen('new-dead', () => process.kill(process.pid, 'SIGKILL'))"
  spawnSync(process.execPath, ['-e', script], { cwd: folder, stdio: 'ignore' })
  utimesSync(dead, old, old)
  gone.push(dead)
  const { fixed, ids } = await check({ cacheDir }, true)
  t.equal(fixed.length, gone.length, fixed.join('\n'))
  t.notOk(ids.includes('leftovers.file'))
  for (const path of gone) t.notOk(existsSync(path), path)
  for (const path of [...kept, join(folder, 'lock-live')]) t.ok(existsSync(path), path)
})

t.test('finds a missing cache folder, and --fix creates it', async (t) => {
  const { check, base } = await instance(t)
  const cacheDir = join(base, 'far', 'cache')
  t.strictSame((await check({ cacheDir })).ids, ['cache.missing'])
  t.strictSame((await check({ cacheDir }, true)).ids, [])
  t.equal(statSync(cacheDir).mode & 0o777, 0o700)
})

t.test(
  '--fix of another user than the owner of the state creates no cache folder',
  { skip: !isSuperuser && 'only root can change owners' },
  async (t) => {
    const { check, base, file } = await instance(t)
    const cacheDir = join(base, 'cache')
    chownSync(file, 1234, 1234)
    const { bad } = await check({ cacheDir }, true)
    const { lines, fix } = bad.find(({ id }) => id === 'cache.missing') ?? {}
    t.match(lines, [{ where: 'shell', text: `install -d -m 700 -o 1234 ${cacheDir}` }])
    t.equal(fix, undefined)
    t.notOk(existsSync(cacheDir))
  },
)

t.test('a bug report does not name the place where a read-only disk is mounted', async (t) => {
  const { config } = await instance(t)
  const place = mkdtempSync(join(tmpdir(), 'coffer-'))
  t.teardown(() => rmdirSync(place))
  if (spawnSync(systemTool('mount'), ['-t', 'tmpfs', 'none', place]).status !== 0) {
    t.pass('a read-only disk', { skip: 'only root can mount' })
    return
  }
  t.teardown(() => execFileSync(systemTool('umount'), [place]))
  const root = join(place, 'files')
  mkdirSync(root)
  execFileSync(systemTool('mount'), ['-o', 'remount,ro', place])
  const files = await createOfflineDoctor({ ...config, root }).bundle()
  const { text = '' } = files.find(({ name }) => name === 'findings.txt') ?? {}
  t.match(text, /mount -o remount,rw path\d+\n/)
  t.notMatch(text, place)
})

t.test('finds users, rules and shares that do not work', async (t) => {
  const { check, edit, root } = await instance(t, {
    tree: { 'file.txt': 'x', docs: { 'a.txt': '' } },
    people: {
      bob: { scope: '/gone' },
      eve: { scope: '/file.txt' },
      dan: { scope: '/away' },
      cy: { scope: '/docs', rules: [{ allow: false, regex: false, path: 'docs', regexp: null }] },
    },
  })
  symlinkSync('/usr', join(root, 'away'))
  edit((state) => {
    state.settings.rules = [
      { allow: false, regex: true, path: '', regexp: { raw: '(' } },
      { allow: false, regex: true, path: '', regexp: { raw: '^docs' } },
      { allow: false, regex: true, path: '', regexp: { raw: '^/docs|^x?' } },
    ]
    state.credentials.passwords[2] = '$2b$10$x'
    const share = { userID: 5, expire: 0, created: 1, password: '', thing: { dev: 1, ino: 1, birth: 1 } }
    const [there, gone] = ['a'.repeat(22), 'b'.repeat(22)]
    state.shares = {
      [there]: { ...share, hash: there, path: '/a.txt' },
      [gone]: { ...share, hash: gone, path: '/b.txt' },
    }
  })
  const { bad, text } = await check()
  t.strictSame(bad.map(({ level, id }) => `${level} ${id}`).sort(), [
    'advice links.outside',
    'advice passwords.old',
    'advice shares.gone',
    'advice users.scope.missing',
    'error rules.invalid',
    'error users.scope.file',
    'error users.scope.outside',
    'warning rules.unused',
    'warning rules.unused',
  ])
  for (const part of [
    '/gone of bob',
    '/file.txt of eve',
    '/away of dan',
    '/b.txt of cy',
    'Rule 0 of cy (docs)',
  ])
    t.match(text, part)
  t.notMatch(text, '/a.txt of')
})

t.test('finds symbolic links that leave the folder of a user, and names these users', async (t) => {
  const { check, root, config } = await instance(t, {
    tree: { ann: { 'a.txt': '' }, bob: {} },
    people: { ann: { scope: '/ann' }, bob: { scope: '/bob' } },
  })
  symlinkSync('a.txt', join(root, 'ann', 'inside'))
  symlinkSync('../ann/a.txt', join(root, 'bob', 'other'))
  symlinkSync('nowhere', join(root, 'bob', 'broken'))
  symlinkSync('.', join(root, 'ann', 'loop'))
  const { bad } = await check()
  t.match(bad.find(({ id }) => id === 'links.outside')?.text, /: \/bob\/other\. Users: bob\.$/)
  t.match(bad.find(({ id }) => id === 'links.broken')?.text, /: \/bob\/broken\. Users: admin, bob\.$/)
  const hidden = { config, state: undefined, secret: [], shows: (real: string) => !real.includes('broken') }
  const shown = await checkLinks(
    hidden as unknown as Parameters<typeof checkLinks>[0],
    new AbortController().signal,
  )
  t.notMatch(JSON.stringify(shown), 'broken')
})

t.test('the search for symbolic links ends in the middle of a folder when its time is over', async (t) => {
  const { root, config } = await instance(t)
  for (const name of ['a', 'b', 'c']) symlinkSync('nowhere', join(root, name))
  const ending = new AbortController()
  const shows = () => {
    ending.abort()
    return true
  }
  const subject = { config, state: undefined, secret: [], shows }
  const found = await checkLinks(subject as unknown as Parameters<typeof checkLinks>[0], ending.signal)
  t.match(found, [{ id: 'links.broken', text: /^The target of a symbolic link/ }, { id: 'links.partial' }])
})

t.test('finds a virus scanner that does not answer, and old signatures', async (t) => {
  const scanner = await fakeClamd(t)
  const { check } = await instance(t)
  const dated = (days: number) => {
    const date = new Date(Date.now() - days * dayMs).toUTCString().replace(',', '')
    scanner.answers['zVERSION\0'] = `ClamAV 1.4.6/27000/${date}\0`
  }
  const scannerIds = async () => (await check({ clamd: scanner.address })).ids
  dated(1)
  t.strictSame(await scannerIds(), [])
  dated(9)
  t.strictSame(await scannerIds(), ['scanner.old'])
  scanner.answers['zVERSION\0'] = 'ClamAV 1.4.6\0'
  t.strictSame(await scannerIds(), ['scanner.undated'])
  scanner.answers['zPING\0'] = 'PONG?\0'
  t.strictSame(await scannerIds(), ['scanner.away'])
  await scanner.stop()
  t.match((await check({ clamd: scanner.address })).text, /does not answer \(.*ECONNREFUSED/)
})

t.test('finds unsafe options and missing programs', async (t) => {
  const { check, edit } = await instance(t)
  const open = { address: '0.0.0.0' }
  t.strictSame((await check({ ...open, noauth: true })).ids, ['options.noauth', 'options.plain'])
  t.strictSame((await check({ ...open, trustedProxy: ['10.0.0.1'] })).ids, [], 'a proxy encrypts')
  edit((state) => {
    state.settings.commands.after_upload = ['no-such-program "$FILE" &', 'true']
    state.users[1].commands = ['ls', 'neither-this']
  })
  const { bad } = await check({ enableExec: true, execWithoutSandbox: true })
  t.match(bad.find(({ id }) => id === 'programs.missing')?.text, /: neither-this, no-such-program\.$/)
  t.match(
    bad.find(({ id }) => id === 'programs.sandbox'),
    { level: 'warning' },
  )
})

t.test('finds a damaged state and records that were moved out of it, and changes neither', async (t) => {
  const { check, file } = await instance(t)
  writeFileSync(`${file}.aside`, '{"kind":"user"}\n{"kind":"link"}\n', { mode: 0o600 })
  t.match((await check()).text, /moved out of the state into .*: 2\./)
  writeFileSync(file, '{"version": 4, "users"')
  const { bad } = await check({}, true)
  t.match(bad[0], { id: 'state.damaged', level: 'error', text: /is not valid JSON.*\.bak/ })
  t.equal(readFileSync(file, 'utf8'), '{"version": 4, "users"')
})

t.test('finds a clock that is behind the latest time that the server saw', async (t) => {
  const { check, folder } = await instance(t)
  const record = { id: 'latest', latest: Date.now() + 3 * dayMs }
  writeFileSync(join(folder, 'clock', 'latest.json'), JSON.stringify(record))
  t.match((await check()).bad, [{ id: 'clock.behind', level: 'error' }])
})

t.test('finds certificates that browsers refuse', async (t) => {
  const { check, base } = await instance(t)
  const make = (name: string, days: string, ...more: string[]) => {
    const [cert, key] = [join(base, `${name}.pem`), join(base, `${name}.key`)]
    const subject = ['-subj', '/CN=x', '-addext', 'subjectAltName=DNS:files.example.com']
    const words = ['req', '-x509', '-nodes', '-days', days, '-keyout', key, '-out', cert, ...subject, ...more]
    execFileSync(systemTool('openssl'), words, { stdio: 'pipe' })
    chmodSync(key, 0o600)
    return { cert, key }
  }
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  let good: { cert: string; key: string }
  try {
    good = make('good', '90', ...curve)
  } catch {
    t.pass('a certificate', { skip: 'this system has no openssl to make one' })
    return
  }
  t.strictSame((await check(good)).ids, ['tls.self-signed'])
  const soon = make('soon', '9', ...curve)
  t.strictSame((await check(soon)).ids.sort(), ['tls.expires', 'tls.self-signed'])
  t.ok((await check({ cert: good.cert, key: soon.key })).ids.includes('tls.key'))
  const weak = make('weak', '90', '-newkey', 'rsa:1024')
  t.ok((await check(weak)).ids.includes('tls.weak'))
  writeFileSync(weak.cert, readFileSync(good.cert, 'utf8') + readFileSync(soon.cert, 'utf8'))
  t.ok((await check({ cert: weak.cert, key: good.key })).ids.includes('tls.chain'))
  chmodSync(good.key, 0o644)
  const { bad, fixed } = await check(good, true)
  t.match(bad, [{ id: 'modes.private-key-of-the-certificate' }, {}])
  t.strictSame(fixed, [], 'the key is not a file of Coffer')
})

t.test(
  'finds folders that this user cannot write',
  { skip: isSuperuser && 'root can write everywhere' },
  async (t) => {
    const { check, root, file } = await instance(t)
    chmodSync(root, 0o500)
    chmodSync(dirname(file), 0o500)
    t.teardown(() => [root, dirname(file)].map((path) => chmodSync(path, 0o700)))
    t.strictSame((await check()).ids.sort(), ['root.denied', 'state.denied'])
  },
)

t.test('reports a check that fails or never ends, and completes the others', async (t) => {
  const never = new Promise<never>(() => {})
  const checks = {
    silent: () => never,
    broken: async () => {
      throw Object.assign(new Error('x'), { code: 'EIO' })
    },
    good: async () => [finding('good', 'ok', 'fine')],
  }
  const found = await runChecks(checks, {} as Parameters<typeof runChecks>[1], 20)
  t.match(found, [
    { id: 'silent.no-response', level: 'error', text: /took longer/ },
    { id: 'broken.unchecked', level: 'warning', text: /EIO/ },
    { id: 'good' },
  ])
})

t.test('reports a disk that does not respond', async (t) => {
  const { check } = await instance(t)
  // Not in the fixture, which could not be removed while the disk is mounted.
  const far = mkdtempSync(join(tmpdir(), 'coffer-'))
  t.teardown(() => rmdirSync(far))
  const disk = mountSilent(t, far)
  if (!disk) {
    t.pass('a silent disk', { skip: 'FUSE needs Linux and superuser rights' })
    return
  }
  // The disk never responds, so a check that waits for it would not end.
  const { ids } = await check({ cacheDir: far })
  t.ok(ids.includes('cache.no-response'), ids.join(' '))
  t.notOk(ids.includes('served-folder.no-response'))
  disk.end()
})

t.test('at most eight runs wait for the one that is running', async (t) => {
  const { config } = await instance(t)
  const doctor = createOfflineDoctor(config)
  const runs = await Promise.allSettled(Array.from({ length: 12 }, () => doctor.check()))
  t.equal(runs.filter(({ status }) => status === 'fulfilled').length, 9)
  t.match(
    runs.find(({ status }) => status === 'rejected'),
    { reason: { code: 'server.busy' } },
  )
})
