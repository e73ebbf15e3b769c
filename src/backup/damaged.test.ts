import { globSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { loadConfig } from '#src/config/load.ts'
import { createLog } from '#src/core/log/log.ts'
import { start } from '#src/start/main.ts'
import { openOffline } from '#src/start/offline.ts'
import { findState } from '#src/start/state-folder.ts'
import { backupOf, entriesOf, type PlainFile, type TarEntry, tarOf } from '#src/testing/backups.ts'
import { cheapHash } from '#src/testing/start.ts'
import { sha256 } from './archive/manifest.ts'
import { ignore, readBackup } from './archive/read-backup.ts'

/** A state that no server uses, a backup of it, and a function that restores bytes. */
async function offline(t: Test) {
  const folder = t.testdir({ files: {}, brand: { img: { 'logo.svg': '<svg/>' } } })
  const root = join(folder, 'files')
  const config = await loadConfig(['--root', root, '--port', '0', '--password', cheapHash], {})
  const log = createLog({ target: '', format: 'text' })
  const server = await start({ ...config, stopTimeoutMs: 0 }, { log, print: () => {} })
  await server.close()
  const found = await findState(config)
  if (!found) throw new Error('no state')
  const { calls, ...state } = await openOffline(config, found)
  t.teardown(() => state[Symbol.asyncDispose]())
  const signal = new AbortController().signal
  await calls['settings/change'].run(
    { settings: { branding: { files: join(folder, 'brand') } } },
    { body: Readable.from([]), signal },
  )
  const write = calls['backup/write']
  const bytes = await buffer(await write.run({ sessions: true }, { body: Readable.from([]), signal }))
  const options = { dryRun: false, sessions: false, withoutBranding: false }
  const restore = (body: Readable | Buffer | Iterable<Buffer>, more = {}) =>
    calls['backup/restore'].run(
      { ...options, ...more },
      { body: body instanceof Buffer ? Readable.from([body]) : Readable.from(body), signal },
    )
  const present = () => readFileSync(found.file, 'utf8')
  const leftovers = () => globSync(join(found.folder, '{restore/*,before-restore-*}'))
  return { folder, bytes, restore, present, leftovers }
}

type Edit = (files: PlainFile[]) => void

/** The files of a backup. */
async function filesOf(bytes: Buffer): Promise<PlainFile[]> {
  const entries = (await entriesOf(bytes)).slice(1, -1)
  return entries.map(({ name, content }) => ({
    ...{ part: name.replace(/[./].*$/s, ''), name, content: content.toString() },
  }))
}

// biome-ignore lint/suspicious/noExplicitAny: the damaged states have no type
const inState = (edit: (state: any) => void): Edit => {
  return ([file]) => {
    if (!file) return
    const state = JSON.parse(file.content)
    edit(state)
    file.content = JSON.stringify(state)
  }
}
const content = (part: string, text: string): Edit => {
  return (files) => {
    for (const file of files) if (file.part === part) file.content = text
  }
}
const stateText = (text: string) => content('state', text)
const addFile = (part: string, name: string, content = 'x'): Edit => {
  return (files) => void files.push({ part, name, content })
}

const damaged: Record<string, [edit: Edit, manifest: object, message: RegExp]> = {
  'a newer version of Coffer': [() => {}, { coffer: '99.0.0' }, /newer version "99.0.0" of Coffer/],
  'a newer format': [() => {}, { format: 2, coffer: 'x' }, /newer version/],
  'no date': [() => {}, { created: 'yesterday' }, /manifest.json is damaged at \/created/],
  'a newer state': [
    inState((state) => {
      state.version = 99
    }),
    {},
    /state is of a newer version/,
  ],
  'a state without a version': [inState((state) => delete state.version), {}, /has no version/],
  'no administrator': [
    inState((state) => {
      state.users[1].perm.admin = false
    }),
    {},
    /no administrator/,
  ],
  'no users': [
    inState((state) => {
      state.users = {}
    }),
    {},
    /no administrator/,
  ],
  'two users with one name': [
    inState((state) => {
      state.users[7] = { ...state.users[1], id: 7, username: state.users[1].username.toUpperCase() }
    }),
    {},
    /several users with the name "ADMIN"/,
  ],
  'a damaged user': [
    inState((state) => {
      state.users[7] = { ...state.users[1], id: 7, scope: 7 }
    }),
    {},
    /the user 7 has \/scope/,
  ],
  'a damaged share': [
    inState((state) => {
      state.shares.x = {}
    }),
    {},
    /the link x has/,
  ],
  'a damaged setting': [
    inState((state) => {
      state.settings.rules = 1
    }),
    {},
    /damaged at \/settings\/rules/,
  ],
  'a state that is no object': [stateText('[]'), {}, /has no version/],
  'a state that is no JSON': [stateText('{'), {}, /is not valid JSON/],
  'a state that nests without end': [
    stateText(`{"version":4,"deep":${'['.repeat(9e4)}${']'.repeat(9e4)}}`),
    {},
    /nested too deeply/,
  ],
  'a state with millions of entries': [stateText(`[${'0,'.repeat(8_100_000)}0]`), {}, /too many entries/],
  'no state': [(files) => void files.shift(), {}, /has no state/],
  'two states': [addFile('state', 'state.json'), {}, /the name "state.json"/],
  'an unknown part': [addFile('other', 'other.json'), {}, /unknown file "other.json"/],
  'an inherited part': [addFile('constructor', 'x'), {}, /unknown file/],
  'a file outside of its part': [addFile('branding', 'sessions.json2'), {}, /unknown file/],
  'a file that is not served': [addFile('branding', 'branding/index.html'), {}, /unknown file/],
  'a path that leads out': [addFile('branding', 'branding/img/../../x.svg'), {}, /has a file with the name/],
  'a path that ends in nothing': [addFile('branding', 'branding/img//x.svg'), {}, /has a file with the name/],
  'a path of Windows': [addFile('branding', 'branding/img/..\\x.svg'), {}, /has a file with the name/],
  'a path with a line break': [addFile('branding', 'branding/img/a\nb.svg'), {}, /has a file with the name/],
  'an escaped path': [addFile('branding', 'branding/img/\ufffd%FFx.svg'), {}, /has a file with the name/],
  'a large file': [
    addFile('branding', 'branding/img/x.svg', 'x'.repeat(5 * 1024 ** 2 + 1)),
    {},
    /x.svg" is too large/,
  ],
  'many files': [
    (files) =>
      void Array.from({ length: 501 }, (_, at) => addFile('branding', `branding/img/${at}.svg`)(files)),
    {},
    /part branding is too large/,
  ],
  'damaged schedules': [content('site', '[{"id":"../x"}]'), {}, /site.json is damaged/],
  'a half-done swap of folders': [
    content('site', '[{"id":"x","kind":"swap","folder":"/etc","name":"x","next":"y","aside":"z"}]'),
    {},
    /site.json is damaged/,
  ],
}

t.test('a damaged or hostile backup is refused with a sentence, and nothing changes', async (t) => {
  const { bytes, restore, present, leftovers } = await offline(t)
  const before = present()
  for (const [what, [edit, manifest, message]] of Object.entries(damaged)) {
    const files = await filesOf(bytes)
    edit(files)
    const archive = await backupOf(files, manifest)
    await t.rejects(restore(archive), { name: 'CommandProblem', message }, what)
    t.equal(present(), before, what)
    t.strictSame(leftovers(), [], what)
  }
  const sessions = (await filesOf(bytes)).map((file) =>
    file.part === 'sessions' ? { ...file, content: '[{"id":"x"}]' } : file,
  )
  await t.rejects(restore(await backupOf(sessions), { sessions: true }), {
    message: /sessions.json is damaged/,
  })
  t.equal(present(), before)
})

t.test('an archive with links, devices, other files or wrong checksums is refused', async (t) => {
  const { folder, bytes, restore, present, leftovers } = await offline(t)
  const before = present()
  const entries: TarEntry[] = await entriesOf(bytes)
  const logo = entries.findIndex(({ name }) => name.endsWith('logo.svg'))
  const replaced = (entry: TarEntry) => tarOf(entries.with(logo, entry))
  const name = 'branding/img/logo.svg'
  const size = 6
  const cases: Record<string, [archive: Buffer | Iterable<Buffer>, message: RegExp]> = {
    nothing: [Buffer.alloc(0), /it is empty/],
    zeros: [Buffer.alloc(10_240), /it is empty/],
    text: [Buffer.from('{"not":"a tar"}'.repeat(1000)), /not a complete tar archive/],
    'another archive': [await tarOf([{ name: 'a', content: 'x' }]), /not written by coffer backup/],
    'no manifest': [await tarOf(entries.slice(1)), /not written by coffer backup/],
    'no end': [await tarOf(entries.slice(0, -1)), /its end is missing/],
    'a missing file': [await tarOf(entries.toSpliced(logo, 1)), /in the place of "branding\/img\/logo.svg"/],
    'another order': [
      await tarOf([...entries.slice(0, 1), ...entries.slice(1).reverse()]),
      /in the place of/,
    ],
    'an additional file': [await tarOf([...entries, { name: 'x', content: '' }]), /the additional file "x"/],
    'a second archive': [Buffer.concat([bytes, bytes]), /the additional file "manifest.json"/],
    'a symbolic link': [
      await replaced({ name, type: 'symlink', linkname: '/etc/passwd', size }),
      /not a regular/,
    ],
    'a hard link': [await replaced({ name, type: 'link', linkname: '/etc/passwd' }), /not a regular file/],
    'a folder': [await replaced({ name, type: 'directory' }), /not a regular file|in the place/],
    'a device': [
      await replaced({ name, type: 'character-device', devmajor: 1, devminor: 5 }),
      /not a regular/,
    ],
    'a pipe': [await replaced({ name, type: 'fifo' }), /not a regular file/],
    'other content': [await replaced({ name, content: '<svg-' }), /wrong size/],
    'other content of the same size': [await replaced({ name, content: '<svg+>' }), /checksum .* is wrong/],
    'another size in an extended header': [
      await replaced({ name, content: '<svg/>', pax: { size: '9e15' } }),
      /wrong size/,
    ],
    'a name with a zero': [
      await replaced({ name: `${name}\0x`, content: '<svg/>', pax: { path: 'x\0' } }),
      /./,
    ],
    'extended headers without end': [
      // Without the header of the file and the end of the archive.
      endless((await tarOf([{ name: 'x', pax: { a: 'b'.repeat(900_000) } }])).subarray(0, -3 * 512)),
      /larger/,
    ],
    'empty files without end': [endless(await tarOf([{ name: 'x', content: '' }])), /not written by/],
    'zeros without end': [endless(Buffer.alloc(1024 ** 2)), /larger than its manifest/],
  }
  for (const [what, [archive, message]] of Object.entries(cases)) {
    await t.rejects(restore(archive), { name: 'CommandProblem', message }, what)
    t.equal(present(), before, what)
    t.strictSame(leftovers(), [], what)
  }
  const failing = new Readable({
    read: () => failing.destroy(Object.assign(new Error('x'), { code: 'EIO' })),
  })
  await t.rejects(restore(failing), { message: 'The backup cannot be read (EIO).' })
  mkdirSync(join(folder, 'unused'))
  t.ok(statSync(join(folder, 'unused')).isDirectory())
  await restore(bytes)
  t.not(present(), before, 'the unchanged backup is restored')
})

/** A part of an archive again and again. */
function* endless(part: Buffer): Generator<Buffer> {
  for (let at = 0; at < 100_000; at++) yield part
}

t.test('no truncation and no flipped bit changes what is restored', async (t) => {
  const { bytes, restore } = await offline(t)
  const whole = await digestOf(bytes)
  const random = generator(7)
  const isSame = { unchanged: 0, refused: 0 }
  for (let round = 0; round < 600; round++) {
    const variant = Buffer.from(bytes)
    const at = Math.floor(random() * bytes.length)
    if (round % 3 === 0) await check(variant.subarray(0, at), `cut at ${at}`)
    else {
      for (let flips = round % 7; flips >= 0; flips--) {
        const place = flips === 0 ? at : Math.floor(random() * bytes.length)
        variant[place] = (variant[place] ?? 0) ^ (1 << Math.floor(random() * 8))
      }
      await check(variant, `flipped at ${at} in round ${round}`)
    }
  }
  t.ok(isSame.refused > 400, `${isSame.refused} variants are refused, ${isSame.unchanged} are the same`)
  await restore(bytes, { dryRun: true })

  async function check(variant: Buffer, what: string): Promise<void> {
    try {
      const digest = await digestOf(variant)
      if (digest !== whole) t.fail(`${what}: another content was read`)
      isSame.unchanged++
    } catch (error) {
      if ((error as Error).name !== 'CommandProblem') t.fail(`${what}: ${(error as Error).stack}`)
      isSame.refused++
    }
  }
})

/** A digest of everything that is read from a backup. */
async function digestOf(bytes: Buffer): Promise<string> {
  const parts: unknown[] = []
  // In pieces, as from a socket.
  const pieces = Array.from({ length: Math.ceil(bytes.length / 700) }, (_, at) =>
    bytes.subarray(at * 700, at * 700 + 700),
  )
  const manifest = await readBackup(Readable.from(pieces), {
    async receive(file, content) {
      const received: Uint8Array[] = []
      for await (const chunk of content) received.push(chunk)
      parts.push([file, sha256(Buffer.concat(received))])
    },
  })
  return sha256(JSON.stringify([manifest, parts]))
}

/** A generator of numbers from 0 to 1 that is the same in each run (xorshift32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

t.test('a reader that has stopped does not keep the writer', async (t) => {
  const { bytes } = await offline(t)
  const stalled = new Readable({ read() {} })
  stalled.push(bytes.subarray(0, 3000))
  const reading = readBackup(stalled, { receive: ignore })
  stalled.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
  await t.rejects(reading, { message: 'The backup cannot be read (ECONNRESET).' })
})
