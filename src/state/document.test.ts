import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Memory } from 'lowdb'
import t from 'tap'
import { StartupProblem } from '#src/core/problem.ts'
import { rounds } from '#src/testing/long.ts'
import { runOnOwnDisk } from '#src/testing/own-disk.ts'
import { newSettings } from './defaults.ts'
import { openDocument, stateFile } from './document.ts'
import type { State } from './state.ts'

function createState(): State {
  return {
    version: 6,
    nextUserId: 1,
    users: {},
    credentials: { signingKey: 'k'.repeat(88), passwords: {} },
    settings: newSettings(),
    shares: {},
  }
}

const open = (file: string) => openDocument(stateFile(file), async () => createState())
const onDisk = async (file: string): Promise<State> => JSON.parse(await readFile(file, 'utf8'))

t.test('the first start writes a new state, readable only for the owner', async (t) => {
  const file = join(t.testdir(), 'a b#?.json')
  const document = await open(file)
  t.strictSame(document.data, createState())
  t.strictSame(await onDisk(file), createState())
  t.equal((await stat(file)).mode & 0o777, 0o600)
})

const afterChange = ['state.json', 'state.json.bak', 'state.json.spare']

t.test('the mode of the file is private, whatever the umask and the previous mode', async (t) => {
  const file = join(t.testdir(), 'state.json')
  const before = process.umask(0)
  t.teardown(() => process.umask(before))
  await writeFile(file, JSON.stringify(createState()), { mode: 0o666 })
  await writeFile(`${file}.new`, 'left by a crash', { mode: 0o666 })
  const document = await open(file)
  await document.update((draft) => {
    draft.nextUserId = 2
  })
  t.equal((await stat(file)).mode & 0o777, 0o600)
})

t.test('a change persists over a restart, and the previous state is kept as a backup', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'state.json')
  const document = await open(file)
  const result = await document.update((draft) => {
    draft.settings.branding.name = 'Ours'
    return 'answered'
  })
  t.equal(result, 'answered')
  t.equal(document.data.settings.branding.name, 'Ours')
  t.equal((await open(file)).data.settings.branding.name, 'Ours')
  t.equal((await onDisk(`${file}.bak`)).settings.branding.name, '')
  t.equal((await stat(`${file}.bak`)).mode & 0o777, 0o600)
  t.strictSame(await readdir(folder), afterChange, 'no other file is left')
})

t.test('a change becomes visible only after it is on the disk', async (t) => {
  const file = join(t.testdir(), 'state.json')
  const document = await open(file)
  const changing = document.update((draft) => {
    draft.nextUserId = 2
  })
  t.equal(document.data.nextUserId, 1)
  await changing
  t.equal(document.data.nextUserId, 2)
})

t.test('concurrent changes are applied one after another', async (t) => {
  const file = join(t.testdir(), 'state.json')
  const document = await open(file)
  const results = await Promise.all(
    Array.from({ length: 40 }, () => document.update((draft) => draft.nextUserId++)),
  )
  t.strictSame(
    results,
    Array.from({ length: 40 }, (_, n) => n + 1),
  )
  t.equal((await onDisk(file)).nextUserId, 41)
})

t.test('an edit that throws changes nothing and does not block later edits', async (t) => {
  const file = join(t.testdir(), 'state.json')
  const document = await open(file)
  const bytes = await readFile(file)
  const failing = document.update((draft) => {
    draft.nextUserId = 99
    throw new Error('no')
  })
  const next = document.update((draft) => ++draft.nextUserId)
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 2)
  t.strictSame(await readFile(`${file}.bak`), bytes)
})

t.test('refuses to write a state that would not load, and changes nothing', async (t) => {
  const file = join(t.testdir(), 'state.json')
  const document = await open(file)
  await document.update((draft) => ++draft.nextUserId)
  const [bytes, copy] = [await readFile(file), await readFile(`${file}.bak`)]
  const thing = { dev: 1, ino: 2, birth: 3 }
  const hash = 'h'.repeat(22)
  const link = { hash, userID: 1, path: '/', expire: 0, created: 1, password: '', thing }
  const edits: [edit: (draft: State) => unknown, field: string][] = [
    [({ shares }) => Object.assign(shares, { [hash]: { ...link, expire: Number.NaN } }), 'expire'],
    [
      ({ shares }) => Object.assign(shares, { [hash]: { ...link, created: Number.POSITIVE_INFINITY } }),
      'created',
    ],
    [({ shares }) => Object.assign(shares, { [hash]: { ...link, path: undefined } }), 'path'],
    [({ shares }) => Object.assign(shares, { other: link }), 'hash'],
    [({ users }) => Object.assign(users, { 7: { id: 7 } }), '7'],
    [({ settings }) => Object.assign(settings, { signup: 'yes' }), 'signup'],
    [(draft) => Object.assign(draft, { nextUserId: 1.5 }), 'nextUserId'],
    [({ credentials }) => Object.assign(credentials, { signingKey: '' }), 'signingKey'],
  ]
  for (const [edit, field] of edits) {
    await t.rejects(document.update(edit), { code: 'request.invalid', details: { field } }, field)
    t.strictSame([await readFile(file), await readFile(`${file}.bak`)], [bytes, copy])
  }
  t.strictSame(document.data, { ...createState(), nextUserId: 2 })
  t.equal(await document.update((draft) => ++draft.nextUserId), 3, 'the next change works')
})

t.test('a failed write changes nothing in memory or on the disk', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'state.json')
  const document = await open(file)
  const bytes = await readFile(file)
  await mkdir(`${file}.new`)
  await t.rejects(document.update((draft) => ++draft.nextUserId))
  t.equal(document.data.nextUserId, 1)
  t.strictSame(await readFile(file), bytes)
  await rm(`${file}.new`, { recursive: true })
  t.equal(await document.update((draft) => ++draft.nextUserId), 2, 'the next change works')
})

t.test('removes the temporary files of a killed process at the next start', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'state.json')
  await open(file)
  await writeFile(`${file}.new`, '{"half')
  await writeFile(`${file}.bak.new`, '{}')
  await open(file)
  t.strictSame(await readdir(folder), ['state.json', 'state.json.spare'])
})

t.test('a kill between the two renames of a change does not block the next change', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'state.json')
  await open(file)
  await link(file, `${file}.bak`)
  const document = await open(file)
  await document.update((draft) => ++draft.nextUserId)
  t.strictSame(await readdir(folder), afterChange)
  t.equal((await onDisk(`${file}.bak`)).nextUserId, 1)
})

t.test(
  'refuses a state that is too large for the disk, and can still change the old one on a full disk',
  async (t) => {
    const folder = t.testdir()
    const file = join(folder, 'state.json')
    const program = `
    const { openDocument, stateFile } = await import(${JSON.stringify(new URL('./document.ts', import.meta.url).href)})
    const document = await openDocument(stateFile(${JSON.stringify(file)}), async () => (${JSON.stringify(createState())}))
    const failure = await document.update((draft) => {
      draft.settings.branding.name = 'x'.repeat(1_000_000)
    }).catch((error) => error)
    const again = await document.update((draft) => ++draft.nextUserId)
    const { readFileSync, readdirSync, writeFileSync } = await import('node:fs')
    try {
      writeFileSync(${JSON.stringify(join(folder, 'filler'))}, Buffer.alloc(128 * 1024))
    } catch {}
    const full = []
    for (let n = 0; n < 3; n++) full.push(await document.update((draft) => ++draft.nextUserId))
    const disk = JSON.parse(readFileSync(${JSON.stringify(file)}, 'utf8'))
    console.log(JSON.stringify({
      code: failure.code, message: failure.message, again, full, disk: disk.nextUserId,
      name: document.data.settings.branding.name, files: readdirSync(${JSON.stringify(folder)}),
    }))`
    const results = await runOnOwnDisk(program, { folder, size: '128k' })
    if (!results) return void t.pass('needs a disk of its own', { skip: 'this system mounts no disk for us' })
    t.match(results, {
      code: 'disk.full',
      message: 'no space left for the state file',
      again: 2,
      disk: 5,
      name: '',
      full: [3, 4, 5],
      files: ['filler', ...afterChange],
    })
  },
)

t.test('a damaged file stops the start with a message and is not changed', async (t) => {
  const whole = JSON.stringify(createState())
  const damaged: [content: string | Buffer, sentence: RegExp][] = [
    ['', /is damaged: it is not valid JSON/],
    ['   ', /is damaged/],
    [whole.slice(0, -1), /is damaged: it is not valid JSON/],
    [Buffer.from([0xff, 0xfe, 0]), /is damaged/],
    [Buffer.alloc(4096), /is damaged/],
    ['null', /is damaged/],
    ['[]', /is damaged/],
    ['{}', /is damaged/],
    ['"text"', /is damaged/],
    [whole.replace(/"version":\d+/, '"version":"2"'), /is damaged/],
    [whole.replace('"signup":false', '"signup":"no"'), /is damaged at \/settings\/signup: must be boolean/],
    [whole.replace('"nextUserId":1,', ''), /is damaged at \/: .*nextUserId/],
    [whole.replace('"fileMode":416,', ''), /is damaged at \/settings: .*fileMode/],
    [whole.replace('"users":{}', '"users":{"1":{"id":1}}'), /is damaged at \/users\/1: .*username/],
  ]
  for (const [content, sentence] of damaged) {
    const file = join(t.testdir(), 'state.json')
    await writeFile(file, content, { mode: 0o640 })
    const before = await stat(file)
    await t.rejects(open(file), { name: 'StartupProblem', message: sentence }, String(content).slice(0, 40))
    const problem = await open(file).catch((error) => error)
    t.ok(problem instanceof StartupProblem)
    t.match(problem.message, `${file}.bak`, 'the message names the backup')
    t.notMatch(problem.message, /\n|\{/)
    t.strictSame(await readFile(file), Buffer.from(content))
    const after = await stat(file)
    t.strictSame([after.mtimeMs, after.ino, after.mode], [before.mtimeMs, before.ino, before.mode])
    t.strictSame(await readdir(join(file, '..')), ['state.json'])
  }
})

t.test('a state of a newer program stops the start and is not changed', async (t) => {
  const file = join(t.testdir(), 'state.json')
  const content = JSON.stringify({ ...createState(), version: createState().version + 1 })
  await writeFile(file, content)
  await t.rejects(open(file), { name: 'StartupProblem', message: /by a newer version of Coffer/ })
  t.equal(await readFile(file, 'utf8'), content)
})

t.test('a state file that cannot be read or written stops the start with a message', async (t) => {
  const folder = t.testdir({ 'state.json': {} })
  await t.rejects(open(join(folder, 'state.json')), {
    name: 'StartupProblem',
    message: /cannot be read \(EISDIR\)/,
  })
  await t.rejects(open(join(folder, 'none', 'state.json')), {
    name: 'StartupProblem',
    message: /cannot be written/,
  })
})

t.test('does not follow a symbolic link in place of the temporary file', async (t) => {
  const folder = t.testdir({ victim: 'precious' })
  const file = join(folder, 'state.json')
  const document = await open(file)
  await symlink('victim', `${file}.new`)
  await document.update((draft) => ++draft.nextUserId).catch(() => undefined)
  t.equal(await readFile(join(folder, 'victim'), 'utf8'), 'precious')
})

t.test('a state in memory works the same', async (t) => {
  const document = await openDocument(new Memory<State>(), async () => createState())
  t.equal(await document.update((draft) => ++draft.nextUserId), 2)
  t.equal(document.data.nextUserId, 2)
})

t.test(
  'a process killed at any moment leaves the old or the new state, and blocks no later change',
  async (t) => {
    const folder = t.testdir()
    const file = join(folder, 'state.json')
    const program = `
    const { openDocument, stateFile } = await import(${JSON.stringify(new URL('./document.ts', import.meta.url).href)})
    const document = await openDocument(stateFile(${JSON.stringify(file)}), async () => (${JSON.stringify(createState())}))
    for (;;) {
      await document.update((draft) => {
        draft.nextUserId++
        draft.settings.branding.name = 'x'.repeat(1000 * (draft.nextUserId % 97)) + draft.nextUserId
      })
      process.stdout.write(document.data.nextUserId + '\\n')
    }`
    let latest = 1
    for (let round = 0; round < rounds(30); round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program])
      let reported = latest
      let changes = 0
      const changesBeforeKill = 1 + Math.floor(Math.random() * 30)
      const killed = once(child, 'exit')
      child.stdout.on('data', (chunk) => {
        const lines = String(chunk).trim().split('\n')
        reported = Math.max(reported, Number(lines.at(-1)))
        changes += lines.length
        // Delayed, because without a delay the kill would always come between two changes.
        if (changes >= changesBeforeKill) setTimeout(() => child.kill('SIGKILL'), Math.random() * 3)
      })
      const [, signal] = await killed
      t.equal(signal, 'SIGKILL')
      const { data } = await open(file)
      const { nextUserId, settings } = data
      t.ok(nextUserId >= reported, `round ${round}: a reported change persists (${reported}, ${nextUserId})`)
      if (nextUserId > 1) t.match(settings.branding.name, new RegExp(`^x*${nextUserId}$`))
      const bak = await onDisk(`${file}.bak`)
      t.ok(bak.nextUserId === nextUserId || bak.nextUserId === nextUserId - 1)
      latest = nextUserId
    }
    const document = await open(file)
    await document.update((draft) => ++draft.nextUserId)
    t.strictSame(await readdir(folder), afterChange, 'the next change removes leftover files')
  },
)
