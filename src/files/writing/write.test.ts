import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { link, mkdir, writeFile as put, readdir, readFile, realpath, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem, unconditional } from '#src/core/problem.ts'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { normalizePath, rootPath } from '#src/files/paths/user-path.ts'
import { openHeld } from '#src/files/reading/readable-file.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'
import { killAfter } from '#src/testing/kill-after.ts'
import { hostileNames } from '#src/testing/names.ts'
import { runOnOwnDisk } from '#src/testing/own-disk.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { type FileToWrite, writeFile } from '#src/testing/write-file.ts'
import { openJournal } from './note-journal.ts'
import { openTempFileJournal } from './temp-file-journal.ts'

type Tree = NonNullable<Parameters<Test['testdir']>[0]>

const path = (written: string) => normalizePath(written).path
const filled = (text: string) => (file: WritableFile) => file.writeFile(text)

async function setUp(t: Test, tree: Tree = {}, rest: Partial<Jail> = {}) {
  const base = await realpath(t.testdir({ root: tree, outside: { 'o.txt': 'OUTSIDE' }, parts: {} }))
  const root = join(base, 'root')
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [], ...rest })
  const parts = await openTempFileJournal(join(base, 'parts'))
  const locks = createKeyedLock()
  return {
    base,
    root,
    jail,
    at: (name: string) => join(root, name),
    write: (written: string, writing: Partial<FileToWrite> | string) =>
      writeFile({ jail, parts, locks }, path(written), {
        overwrite: true,
        recheck: unconditional,
        fileMode: 0o640,
        dirMode: 0o750,
        ...(typeof writing === 'string' ? { fill: filled(writing) } : { fill: filled(''), ...writing }),
      }),
    /** Temporary files in the tree, and notes outside the journal. */
    leftovers: () => [
      ...readdirSync(root, { recursive: true }).filter((name) => String(name).includes('.coffer-part')),
      ...readdirSync(join(base, 'parts')).filter((name) => name !== 'journal'),
    ],
  }
}

t.test('a file is written under any name, and no temporary file is left', async (t) => {
  const { write, at, leftovers } = await setUp(t)
  for (const name of hostileNames) {
    const etag = await write(`/d/${name}`, `is ${name}`)
    t.match(etag, /^"[\da-f-]+"$/)
    t.equal(await readFile(at(`d/${name}`), 'utf8'), `is ${name}`, name)
  }
  t.strictSame((await readdir(at('d'))).sort(), [...hostileNames].sort())
  t.strictSame(leftovers(), [])
})

t.test('new files get the mode from the settings, and a replaced file keeps its mode', async (t) => {
  const before = process.umask(0o022)
  t.teardown(() => process.umask(before))
  const { write, at } = await setUp(t, { 'old.sh': 'old' })
  chmodSync(at('old.sh'), 0o775)
  await write('/new/deep/a.txt', 'x')
  await write('/old.sh', 'new')
  const mode = (name: string) => (statSync(at(name)).mode & 0o777).toString(8)
  t.strictSame(
    [mode('new/deep/a.txt'), mode('new'), mode('new/deep'), mode('old.sh')],
    ['640', '750', '750', '775'],
  )
})

t.test('a reader sees the old or the new file, never a partial one', async (t) => {
  const size = 200_000
  const { write, at, jail } = await setUp(t, { 'a.txt': '0'.repeat(size) })
  let running = true
  const writing = (async () => {
    for (let n = 1; running; n++) {
      const text = String(n % 10).repeat(size)
      await write('/a.txt', {
        fill: async (file) => {
          for (let done = 0; done < size; done += 20_000)
            await file.writev([Buffer.from(text.slice(done, done + 20_000))], done)
        },
      })
    }
  })()
  for (let n = 0; n < 300; n++) {
    await using held = await openPath(jail, path('/a.txt'))
    await using file = await openHeld(held)
    const text = await file.readFile('utf8')
    if (text.length !== size || text !== text[0]?.repeat(size)) t.fail('a partial file was read')
  }
  running = false
  await writing
  t.equal(readFileSync(at('a.txt')).length, size)
})

t.test('a write that fails in the middle keeps the old content and leaves no temporary file', async (t) => {
  const { write, at, leftovers } = await setUp(t, { 'a.txt': 'old' })
  const before = await stat(at('a.txt'))
  const fill = async (file: WritableFile) => {
    await file.writeFile('half')
    throw new Error('the sender left')
  }
  await t.rejects(write('/a.txt', { fill }), { message: 'the sender left' })
  await t.rejects(write('/new.txt', { fill }), { message: 'the sender left' })
  t.equal(await readFile(at('a.txt'), 'utf8'), 'old')
  t.equal((await stat(at('a.txt'))).ino, before.ino)
  t.strictSame(await readdir(at('')), ['a.txt'])
  t.strictSame(leftovers(), [])
})

t.test('without overwrite, exactly one of 20 concurrent writes to one name succeeds', async (t) => {
  const { write, at, leftovers } = await setUp(t)
  for (let round = 0; round < 10; round++) {
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        write(`/r${round}/a.txt`, { overwrite: false, fill: filled(`writer ${n}`) }),
      ),
    )
    const winners = tries.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []))
    t.equal(winners.length, 1)
    t.equal(await readFile(at(`r${round}/a.txt`), 'utf8'), `writer ${winners[0]}`)
    for (const one of tries) if (one.status === 'rejected') t.match(one.reason, { code: 'path.exists' })
  }
  t.strictSame(leftovers(), [])
})

t.test(
  'with overwrite, all of 20 concurrent writes to one name succeed, and one whole file stays',
  async (t) => {
    const { write, at, leftovers } = await setUp(t, { 'a.txt': 'old' })
    await link(at('a.txt'), at('backup')) // the old file keeps a second name
    await Promise.all(Array.from({ length: 20 }, (_, n) => write('/a.txt', `writer ${n}`)))
    t.match(await readFile(at('a.txt'), 'utf8'), /^writer \d+$/)
    t.equal(await readFile(at('backup'), 'utf8'), 'old')
    t.strictSame((await readdir(at(''))).sort(), ['a.txt', 'backup'])
    t.strictSame(leftovers(), [])
  },
)

t.test('without overwrite, a file that another program creates meanwhile stays', async (t) => {
  const { write, at } = await setUp(t)
  const fill = () => put(at('a.txt'), 'theirs')
  await t.rejects(write('/a.txt', { overwrite: false, fill }), { code: 'path.exists' })
  t.equal(await readFile(at('a.txt'), 'utf8'), 'theirs')
})

t.test('`check` is called before the first byte and again before the rename', async (t) => {
  const { write, at, leftovers } = await setUp(t, { 'a.txt': 'old' })
  const refusal = new Problem('path.changed', { path: '/a.txt' })
  const seen: (number | undefined)[] = []
  await write('/a.txt', { fill: filled('four'), check: (current) => seen.push(current?.size) })
  await write('/new.txt', { check: (current) => seen.push(current?.size) })
  t.strictSame(seen.slice(0, 2), [3, 3])
  t.ok(seen.length >= 4 && seen.slice(2).every((size) => size === undefined))
  let filledAnyway = false
  const check = () => {
    throw refusal
  }
  await t.rejects(write('/a.txt', { check, fill: async () => (filledAnyway = true) }), refusal)
  t.notOk(filledAnyway)
  const changing = {
    fill: () => put(at('a.txt'), 'changed by somebody else'),
    check: (current: { size: number } | undefined) => {
      if (current?.size !== 4) throw refusal
    },
  }
  await t.rejects(write('/a.txt', changing), refusal)
  t.equal(await readFile(at('a.txt'), 'utf8'), 'changed by somebody else')
  t.strictSame(leftovers(), [])
})

t.test('writing to a symbolic link keeps the link and writes to its target', async (t) => {
  const { write, at, root } = await setUp(t, { d: { 'real.txt': 'old' }, e: {} })
  await symlink('../d/real.txt', at('e/link'))
  await symlink('d', at('folder'))
  await write('/e/link', 'by link')
  t.equal(await readFile(at('d/real.txt'), 'utf8'), 'by link')
  await write('/folder/real.txt', 'by folder')
  await write('/folder/new.txt', 'new')
  t.strictSame((await readdir(at('d'))).sort(), ['new.txt', 'real.txt'])
  t.equal(await readFile(at('d/real.txt'), 'utf8'), 'by folder')
  t.equal(await realpath(at('e/link')), join(root, 'd/real.txt'))
})

t.test(
  'rejects writing through a symbolic link that leads outside the root, also a broken one',
  async (t) => {
    const { write, at, base } = await setUp(t, { d: {} })
    await symlink('../outside/o.txt', at('file'))
    await symlink('../outside', at('folder'))
    await symlink('../outside/new.txt', at('dangling'))
    await symlink('../outside/none', at('dangling-folder'))
    for (const written of [
      '/file',
      '/folder/o.txt',
      '/folder/new.txt',
      '/folder/a/b',
      '/dangling',
      '/dangling-folder/x',
    ]) {
      for (const overwrite of [true, false]) {
        await t.rejects(write(written, { overwrite, fill: filled('BAD') }), { code: 'path.outside' }, written)
      }
    }
    t.strictSame(await readdir(join(base, 'outside')), ['o.txt'])
    t.equal(await readFile(join(base, 'outside/o.txt'), 'utf8'), 'OUTSIDE')
  },
)

t.test('rejects writing over a folder or a named pipe, or below a file', async (t) => {
  const { write, at } = await setUp(t, { d: {}, 'f.txt': 'file' })
  execFileSync(systemTool('mkfifo'), [at('pipe')])
  await t.rejects(write('/', 'x'), { code: 'path.folder' })
  await t.rejects(write('/d', 'x'), { code: 'path.folder' })
  await t.rejects(write('/pipe', 'x'), { code: 'path.special' })
  await t.rejects(write('/f.txt/below', 'x'), { code: 'path.exists' })
  await t.rejects(write('/f.txt/below/deeper', 'x'), { code: 'path.exists' })
  t.ok(statSync(at('pipe')).isFIFO())
  t.equal(await readFile(at('f.txt'), 'utf8'), 'file')
})

t.test('rules apply to the written file, not to its parent folders', async (t) => {
  const allows = (one: string) => one === '/' || one === '/shut/free.txt' || one.startsWith('/open')
  const { write, at } = await setUp(t, { shut: { 'shut.txt': 'old' }, open: {} }, { allows })
  symlinkSync('../shut/shut.txt', at('open/link'))
  symlinkSync('../shut', at('open/around'))
  await write('/shut/free.txt', 'allowed by name')
  t.equal(await readFile(at('shut/free.txt'), 'utf8'), 'allowed by name')
  for (const written of [
    '/shut/shut.txt',
    '/shut/new.txt',
    '/open/link',
    '/open/around/shut.txt',
    '/open/around/new.txt',
    '/new/x',
  ]) {
    await t.rejects(write(written, 'BAD'), { code: 'path.forbidden' }, written)
  }
  t.strictSame((await readdir(at('shut'))).sort(), ['free.txt', 'shut.txt'])
  t.equal(await readFile(at('shut/shut.txt'), 'utf8'), 'old')
  t.strictSame((await readdir(at(''))).sort(), ['open', 'shut'])
})

t.test("rejects writing to Coffer's own files and to temporary names", async (t) => {
  const secret: string[] = []
  const { write, at } = await setUp(t, { 'state.json': 'KEY' }, { secret })
  secret.push(at('state.json'), at('later.json'))
  await t.rejects(write('/state.json', 'BAD'), { code: 'path.forbidden' })
  await t.rejects(write('/later.json', 'BAD'), { code: 'path.forbidden' })
  await t.rejects(write('/.coffer-part-x', 'BAD'), { code: 'path.forbidden' })
  await t.rejects(write('/.coffer-part-x/a', 'BAD'), { code: 'path.forbidden' })
  t.strictSame(await readdir(at('')), ['state.json'])
})

t.test(
  'after a kill during an upload the old file stays, and the next start removes the temporary file',
  async (t) => {
    const { base, at, jail } = await setUp(t, { 'a.txt': 'old' })
    const url = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
    const program = `
    const { writeFile } = await import(${url('../../testing/write-file.ts')})
    const { openJail } = await import(${url('../jail/jail.ts')})
    const { openTempFileJournal } = await import(${url('./temp-file-journal.ts')})
    const { createKeyedLock } = await import(${url('../../core/concurrency/keyed-lock.ts')})
    const base = process.argv[1]
    const jail = await openJail(base + '/root', '/', { allows: () => true, secret: [] })
    const parts = await openTempFileJournal(base + '/parts')
    await writeFile({ jail, parts, locks: createKeyedLock() }, '/a.txt', {
      overwrite: true, recheck() {}, fileMode: 0o640, dirMode: 0o750,
      fill: async (file) => {
        await file.writeFile('half')
        process.stdout.write('half\\n')
        await new Promise(() => setInterval(() => {}, 1000))
      },
    })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, base])
    const ended = once(child, 'exit')
    killAfter(t, child)
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await ended
    const left = (await readdir(at(''))).filter((name) => name !== 'a.txt')
    t.equal(left.length, 1)
    await t.rejects(
      openPath(jail, path(`/${left[0]}`)),
      { code: 'path.unknown' },
      'the temporary file is hidden',
    )
    t.equal(await readFile(at('a.txt'), 'utf8'), 'old')
    await openTempFileJournal(join(base, 'parts'))
    t.strictSame(await readdir(at('')), ['a.txt'])
    t.strictSame(await readdir(join(base, 'parts')), ['journal'])
    const journal = await openJournal(join(base, 'parts', 'journal'))
    t.strictSame(journal?.found, [], 'no note is left')
    await journal?.close()
  },
)

t.test(
  'writes nothing outside the root while another process swaps the folder for a symbolic link',
  async (t) => {
    const { write, root, base, leftovers } = await setUp(t, { d: {} })
    const swapper = `
    const { renameSync, symlinkSync } = require('node:fs')
    const [root, outside] = process.argv.slice(1)
    symlinkSync(outside, root + '/link')
    process.stdout.write('swapping\\n')
    for (;;) {
      renameSync(root + '/d', root + '/folder')
      renameSync(root + '/link', root + '/d')
      renameSync(root + '/d', root + '/link')
      renameSync(root + '/folder', root + '/d')
    }`
    const child = spawn(process.execPath, ['-e', swapper, root, join(base, 'outside')])
    const ended = once(child, 'exit')
    killAfter(t, child)
    await once(child.stdout, 'data')
    const seen = new Map<string, number>()
    for (let n = 0; n < 1500; n++) {
      const written = n % 3 ? `/d/f${n % 7}` : `/d/sub${n % 5}/f`
      const what = await write(written, { overwrite: n % 2 === 0, fill: filled('mine') }).then(
        () => 'written',
        (error) => error.code,
      )
      seen.set(what, (seen.get(what) ?? 0) + 1)
    }
    child.kill('SIGKILL')
    await ended
    t.comment(JSON.stringify([...seen]))
    t.strictSame(await readdir(join(base, 'outside')), ['o.txt'])
    t.equal(await readFile(join(base, 'outside/o.txt'), 'utf8'), 'OUTSIDE')
    t.strictSame(
      [...seen.keys()].filter((what) => !/^(written|path\.(outside|unknown|exists))$/.test(what)),
      [],
    )
    t.ok((seen.get('written') ?? 0) > 0)
    t.strictSame(leftovers(), [])
  },
)

t.test('on a full disk the old file stays and no temporary file is left', async (t) => {
  const { base } = await setUp(t)
  const url = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  const program = `
    const { writeFile } = await import(${url('../../testing/write-file.ts')})
    const { openJail } = await import(${url('../jail/jail.ts')})
    const { openTempFileJournal } = await import(${url('./temp-file-journal.ts')})
    const { createKeyedLock } = await import(${url('../../core/concurrency/keyed-lock.ts')})
    const { readdirSync, readFileSync } = await import('node:fs')
    const base = process.argv[1]
    const jail = await openJail(base + '/root', '/', { allows: () => true, secret: [] })
    const context = { jail, parts: await openTempFileJournal(base + '/parts'), locks: createKeyedLock() }
    const write = (text) => writeFile(context, '/a.txt', {
      overwrite: true, recheck() {}, fileMode: 0o640, dirMode: 0o750, fill: (file) => file.writeFile(text),
    })
    await write('old')
    const { code, message } = await write('x'.repeat(1_000_000)).catch((error) => error)
    console.log(JSON.stringify({ code, message, text: readFileSync(base + '/root/a.txt', 'utf8'), files: readdirSync(base + '/root') }))`
  const seen = await runOnOwnDisk(program, { folder: join(base, 'root'), size: '128k', words: [base] })
  if (!seen) return void t.pass('a disk of its own', { skip: 'this system mounts no disk for us' })
  t.strictSame(seen, {
    code: 'disk.full',
    message: 'no space left for /a.txt',
    text: 'old',
    files: ['a.txt'],
  })
})

t.test('rejects a write when the root folder is missing, and does not create it', async (t) => {
  const { root } = await setUp(t)
  const jail = { root: join(root, 'none'), allows: () => true, secret: [] } as unknown as Jail
  const parts = await openTempFileJournal(join(root, 'parts'))
  await mkdir(join(root, 'x'))
  const writing = {
    overwrite: true,
    recheck: unconditional,
    fileMode: 0o640,
    dirMode: 0o750,
    fill: filled(''),
  }
  await t.rejects(writeFile({ jail, parts, locks: createKeyedLock() }, path('/a.txt'), writing), {
    code: 'path.unknown',
  })
})

t.test('a failed write removes its new folders, except one that another write uses', async (t) => {
  const denied = path('/new/deep/no')
  const { write, at, leftovers } = await setUp(t, { there: {} }, { allows: (one) => one !== denied })
  const fail = async () => {
    throw new Problem('request.cut')
  }
  await t.rejects(write('/new/deep/a.txt', { fill: fail }), { code: 'request.cut' })
  await t.rejects(write('/there/new/a.txt', { fill: fail }), { code: 'request.cut' })
  await t.rejects(write('/new/deep/no', 'x'), { code: 'path.forbidden' })
  await t.rejects(write('/new/deep/no/a.txt', 'x'), { code: 'path.forbidden' })
  t.strictSame(await readdir(at('')), ['there'])
  t.strictSame(await readdir(at('there')), [], 'an existing folder stays')
  const fillMeanwhile = async () => {
    await write('/new/b.txt', 'b')
    await fail()
  }
  await t.rejects(write('/new/deep/a.txt', { fill: fillMeanwhile }), { code: 'request.cut' })
  t.strictSame(await readdir(at('new')), ['b.txt'], 'only empty folders are removed')
  t.strictSame(leftovers(), [])
})

t.test('concurrent writes into one new folder lose no file when some of them fail', async (t) => {
  const { write, at, leftovers } = await setUp(t)
  for (let round = 0; round < 20; round++) {
    const all = Array.from({ length: 8 }, (_, n) =>
      write(`/new/${round}/${n}`, {
        fill: async (file: WritableFile) => {
          if (n % 2) throw new Problem('request.cut')
          await file.writeFile('x')
        },
      }).catch((error: Problem) => error.code),
    )
    const results = await Promise.all(all)
    t.strictSame(results.filter((one) => one === 'request.cut').length, 4)
    t.strictSame((await readdir(at(`new/${round}`))).sort(), ['0', '2', '4', '6'])
  }
  t.strictSame(leftovers(), [])
})
