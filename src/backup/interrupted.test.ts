import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import t, { type Test } from 'tap'
import Type from 'typebox'
import { run as runCommand } from '#src/cli/cli.ts'
import type { Config } from '#src/config/config.ts'
import { loadConfig } from '#src/config/load.ts'
import { controlCall } from '#src/control/control-call.ts'
import { openControl } from '#src/control/control-socket.ts'
import { openDatabase } from '#src/core/database/database.ts'
import { createLog } from '#src/core/log/log.ts'
import { openRecords } from '#src/core/storage/records.ts'
import { openTempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { createShareBinding } from '#src/shares/following/rebind-shares.ts'
import { openSiteRecords } from '#src/site/website/site-records.ts'
import { createParts, lockState, openAccounts } from '#src/start/instance.ts'
import { start } from '#src/start/main.ts'
import { openStateFolder } from '#src/start/state-folder.ts'
import { run, serve } from '#src/testing/program.ts'
import { fillUp, mountSmall } from '#src/testing/small-disk.ts'
import { cheapHash } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'
import { isUpload } from '#src/uploads/pending-uploads.ts'
import { createBackup } from './backup.ts'
import type { Part } from './parts/part.ts'

const log = createLog({ target: '', format: 'text' })

/** A folder with a state that no server uses, and functions that run commands on it and start the server. */
async function stopped(t: Test, folder = t.testdir({})) {
  const root = join(folder, 'files')
  const brand = join(folder, 'brand')
  mkdirSync(root)
  mkdirSync(join(brand, 'img'), { recursive: true })
  writeFileSync(join(brand, 'img', 'logo.svg'), '<svg>first</svg>')
  const config = {
    ...(await loadConfig(['--root', root, '--port', '0', '--password', cheapHash], {})),
    stopTimeoutMs: 0,
  }
  const startOnce = () => start(config, { log, print: () => {} })
  await (await startOnce()).close()
  async function coffer(words: string, input: Readable = Readable.from([])): Promise<string> {
    const printed: string[] = []
    const print = (line: string) => void printed.push(line)
    const argv = [...words.split(' '), '--root', root]
    await runCommand(argv, {
      ...{ command: ['coffer'], env: {}, print, warn: () => {} },
      stdin: input as NodeJS.ReadStream,
    })
    return printed.join('\n')
  }
  await coffer(`config set --branding.files ${brand}`)
  const file = join(folder, 'backup.tar')
  const state = () => readFileSync(`${root}.coffer.json`, 'utf8')
  const left = () => globSync(join(`${root}.coffer.d`, '{restore/*,before-restore-*}'))
  return { folder, root, brand, config, file, coffer, startOnce, state, left }
}

/** The state as a starting server opens it, and a function that creates backups with other parts. */
async function openState(config: Config, clock = Date.now) {
  const stateFolder = await openStateFolder(config)
  const opened = new AsyncDisposableStack()
  await lockState({ stateFolder, opened })
  const accounts = await openAccounts({ stateFolder, log, opened }, () =>
    Promise.reject(new Error('no state')),
  )
  const { folder, secret } = stateFolder
  const siteRecords = await openSiteRecords(join(folder, 'site'))
  const tempFiles = await openTempFileJournal(join(folder, 'parts'))
  opened.defer(() => tempFiles.close())
  const uploadRecords = await openRecords(join(folder, 'uploads'), isUpload)
  const database = openDatabase(join(folder, 'history.db'), { log })
  await database.opened
  opened.defer(() => database.close())
  const parts = createParts({ ...accounts, siteRecords, tempFiles, uploadRecords, secret, clock, database })
  const binding = createShareBinding({ served: config.root, secret })
  const backupWith = (parts: Readonly<Record<string, Part>>) =>
    createBackup({ document: accounts.document, binding, parts, stateFolder: folder, log })
  return { opened, accounts, siteRecords, folder, parts, backupWith }
}

function restoreOptions() {
  const { signal } = new AbortController()
  return { sessions: false, withoutBranding: false, rebindShares: undefined, dryRun: false, signal }
}

t.test('the next start finishes a restore that was killed after it had replaced the state', async (t) => {
  const { brand, config, file, coffer, startOnce, state, left } = await stopped(t)
  await coffer(`backup ${file} --with-sessions`)
  await coffer('config set --branding.name Later')
  writeFileSync(join(brand, 'img', 'logo.svg'), '<svg>second</svg>')
  const { opened, accounts, folder, parts, backupWith } = await openState(config)
  const { id, userId } = { id: 'later', userId: 1 }
  const now = Date.now()
  const session = { id, userId, created: now, lastUse: now, device: '', address: '' }
  await accounts.sessionRecords.put(session)
  const killed = Promise.withResolvers<void>()
  const finish = () => {
    killed.resolve()
    return new Promise<void>(() => {})
  }
  // The process ends before the first part.
  const backup = backupWith(
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, { ...part, finish }])),
  )
  void backup.restore(Readable.from([readFileSync(file)]), restoreOptions())
  await killed.promise
  await opened.disposeAsync()
  t.match(JSON.parse(state()), { restoring: /./, settings: { branding: { name: '' } } })
  t.match(readFileSync(join(brand, 'img', 'logo.svg'), 'utf8'), /second/)

  const server = await startOnce()
  t.match(readFileSync(join(brand, 'img', 'logo.svg'), 'utf8'), /first/)
  t.notMatch(readdirSync(join(folder, 'sessions')).join(), /later/, 'the old sessions have ended')
  t.equal(JSON.parse(state()).restoring, undefined)
  t.equal(left().length, 1, 'only what was saved before is left')
  await server.close()
})

const schedule = { kind: 'schedule', userId: 1, username: 'admin' } as const

t.test('the next start finishes only the parts of a restore that have failed', async (t) => {
  const { brand, config, file, coffer, startOnce, state } = await stopped(t)
  await coffer(`backup ${file}`)
  writeFileSync(join(brand, 'img', 'logo.svg'), '<svg>second</svg>')
  const { opened, accounts, siteRecords, folder, parts, backupWith } = await openState(config)
  const { branding } = parts
  if (!branding) throw new Error('no branding')
  const finish = () => Promise.reject(new Error('the disk is broken'))
  const report = await backupWith({ ...parts, branding: { ...branding, finish } }).restore(
    Readable.from([readFileSync(file)]),
    restoreOptions(),
  )
  t.match(report.unfinished, [/branding is not restored yet \(the disk is broken\)/])
  t.equal(report.unfinished.length, 1)
  const now = Date.now()
  const session = { id: 'later', userId: 1, created: now, lastUse: now, device: '', address: '' }
  await accounts.sessionRecords.put(session)
  await siteRecords.put({ ...schedule, id: 'later', path: '/later.md', at: now + 60 * 60_000 })
  await opened.disposeAsync()

  const server = await startOnce()
  t.match(readFileSync(join(brand, 'img', 'logo.svg'), 'utf8'), /first/)
  t.match(readdirSync(join(folder, 'sessions')).join(), /later/, 'the session since the restore continues')
  t.strictSame(readdirSync(join(folder, 'site')), ['later.json'], 'the schedule since the restore stays')
  t.equal(JSON.parse(state()).restoring, undefined)
  t.strictSame(globSync(join(folder, 'restore', '*')), [])
  await server.close()
})

t.test('a restore that is finished later does not schedule again what has passed since', async (t) => {
  const { config } = await stopped(t)
  let time = Date.now()
  const { opened, siteRecords, parts, backupWith } = await openState(config, () => time)
  t.teardown(() => opened.disposeAsync())
  const { site } = parts
  if (!site) throw new Error('no website')
  const at = time + 60 * 60_000
  const ids = ['ran', 'waits', 'next']
  for (const id of ids)
    await siteRecords.put({ ...schedule, id, path: `/${id}.md`, at: id === 'next' ? at + 60 * 60_000 : at })
  const stream = await backupWith(parts).write({ sessions: false, history: false })
  await siteRecords.remove('next')
  const finish: Part['finish'] = async (...given) => {
    time = at
    await siteRecords.remove('ran')
    return site.finish(...given)
  }
  await backupWith({ ...parts, site: { ...site, finish } }).restore(stream, restoreOptions())
  const left = siteRecords.all().map(({ id }) => id)
  t.strictSame(left.sort(), ['next', 'waits'])
})

t.test('a server that is killed while it receives a backup has changed nothing', async (t) => {
  const { root, file, coffer, state, left } = await stopped(t)
  await coffer(`backup ${file}`)
  const bytes = readFileSync(file)
  const server = await serve(t, root)
  const before = state()
  const restore = run(t, 'restore', '-', '--root', root)
  restore.child.stdin?.on('error', () => {}).write(bytes.subarray(0, bytes.length / 2))
  await until(() => left().length > 0)
  server.child.kill('SIGKILL')
  await server.ended
  t.equal(await restore.ended, 1)
  t.match(restore.said(), /The server closed the connection before the command was done/)
  t.equal(state(), before)

  const offline = run(t, 'restore', '-', '--root', root)
  offline.child.stdin?.write(bytes.subarray(0, bytes.length - 2000))
  const [first] = left()
  await until(() => left().some((one) => one !== first))
  offline.child.kill('SIGKILL')
  await offline.ended
  t.equal(JSON.parse(state()).credentials.signingKey, JSON.parse(before).credentials.signingKey)
  await coffer('users ls')
  t.strictSame(left(), [], 'the next start removes what was received')
})

t.test('a backup has its name only when it is complete and verified', async (t) => {
  const { folder, root, file, coffer } = await stopped(t)
  const stateFolder = `${root}.coffer.d`
  await coffer(`backup ${file}`)
  const bytes = readFileSync(file)
  const place = join(folder, 'other.tar')
  const temporary = () => readdirSync(folder).filter((name) => name.startsWith('other.tar'))
  let answer = Readable.from([bytes])
  const calls = {
    'backup/write': controlCall(Type.Object({ sessions: Type.Boolean() }), async () => answer),
  }
  const control = await openControl(stateFolder, { calls, log })
  t.teardown(() => control[Symbol.asyncDispose]())

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const half = new PassThrough()
    half.write(bytes.subarray(0, bytes.length / 2))
    answer = half
    const command = run(t, 'backup', place, '--root', root)
    await until(() => temporary().some((name) => statSync(join(folder, name)).size > 0))
    command.child.kill(signal)
    t.equal(await command.ended, signal === 'SIGKILL' ? signal : 143)
    t.notOk(existsSync(place), signal)
    t.equal(temporary().length, signal === 'SIGKILL' ? 1 : 0, 'only a killed command leaves a temporary file')
  }
  const cases: [stream: Readable, message: RegExp][] = [
    [Readable.from([bytes.subarray(0, 4000)]), /its end is missing|not a complete tar/],
    [
      Readable.from([Buffer.concat([bytes.subarray(0, 5000), Buffer.alloc(bytes.length - 5000)])]),
      /cannot be used/,
    ],
    [failing(bytes.subarray(0, 5000)), /The backup is incomplete/],
  ]
  for (const [stream, message] of cases) {
    answer = stream
    await t.rejects(coffer(`backup ${place}`), { name: 'CommandProblem', message })
    t.equal(temporary().length, 1)
  }
  answer = Readable.from([bytes])
  writeFileSync(place, 'mine')
  await t.rejects(coffer(`backup ${place}`), { message: /exists/ })
  answer = failing(bytes.subarray(0, 5000))
  await t.rejects(coffer(`backup ${place} --force`), { message: /incomplete/ })
  t.equal(readFileSync(place, 'utf8'), 'mine', 'a failed backup keeps the earlier one')
})

function failing(bytes: Buffer): Readable {
  return Readable.from(
    (async function* () {
      yield bytes
      throw new Error('the disk is broken')
    })(),
  )
}

t.test('a full disk keeps the state, and no half backup', async (t) => {
  const disk = mountSmall(t, 'tmpfs')
  if (!disk) return t.comment('the system does not allow to mount a disk')
  const { folder, brand, file, coffer, state, left } = await stopped(t, disk)
  writeFileSync(join(brand, 'img', 'large.png'), Buffer.alloc(3 * 1024 ** 2, 'x'))
  await coffer(`backup ${file}`)
  await coffer('config set --branding.name Later')
  const before = state()
  fillUp(join(folder, 'fill'), 'blocks')
  const names = readdirSync(folder)
  await t.rejects(coffer(`backup ${join(folder, 'x.tar')}`), { message: /cannot be written \(ENOSPC\)/ })
  await t.rejects(coffer(`restore ${file}`), { message: /no space left for the state folder/ })
  t.equal(state(), before)
  t.strictSame(left(), [])
  t.strictSame(readdirSync(folder), names)
})
