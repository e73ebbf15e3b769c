import { spawnSync } from 'node:child_process'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import { normalizePath, rootPath } from '#src/files/paths/user-path.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { readText } from './read-text.ts'

async function createReader(
  t: Test,
  files: Record<string, string | Buffer>,
  reserveMemory: (bytes: number) => Promise<unknown> = async () => {},
) {
  const root = t.testdir()
  for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content)
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [] })
  return async (name: string) => {
    await using held = await openPath(jail, normalizePath(name).path)
    return await readText(held, reserveMemory)
  }
}

t.test('returns text completely and unchanged, whatever its name', async (t) => {
  const texts = {
    'a.txt': 'plain',
    README: 'no extension\r\n',
    'empty.md': '',
    'bom.txt': '\ufeffwith a mark',
    'ä日.unknown-thing': 'ä日👩‍👩‍👧\u001b[31m',
    'named.zip': 'text all the same',
    'long.txt': 'ä'.repeat(100_000),
    'cut.txt': `${'x'.repeat(511)}ä`,
    'late.txt': `${'x'.repeat(512)}\u0001`,
  }
  const read = await createReader(t, texts)
  for (const [name, content] of Object.entries(texts))
    t.strictSame(await read(name), { type: 'text', content }, name)
})

t.test('reserves memory before it reads a large text, and for nothing else', async (t) => {
  const reserved: number[] = []
  const large = Buffer.alloc(300 * 1024, 'x')
  const read = await createReader(
    t,
    {
      'small.txt': 'x'.repeat(256 * 1024),
      'large.txt': large,
      'large.bin': Buffer.alloc(300 * 1024),
      'a.png': large,
    },
    async (bytes) => {
      reserved.push(bytes)
      if (reserved.length > 1) throw new Error('full')
    },
  )
  for (const name of ['small.txt', 'large.bin', 'a.png', 'large.txt']) await read(name)
  t.strictSame(reserved, [large.length])
  await t.rejects(read('large.txt'), { message: 'full' })
})

t.test('does not return the content of files that are not text', async (t) => {
  const read = await createReader(t, {
    'a.bin': Buffer.from([0, 1, 2]),
    'binary.txt': Buffer.from([0, 1, 2]),
    'latin1.txt': Buffer.from('Gr\u00fc\u00dfe', 'latin1'),
    'late.txt': Buffer.concat([Buffer.alloc(100_000, 'x'), Buffer.from([0xff])]),
    'torn.txt': Buffer.from('ä').subarray(0, 1),
  })
  for (const name of ['a.bin', 'binary.txt', 'latin1.txt', 'late.txt', 'torn.txt']) {
    t.strictSame(await read(name), { type: 'blob' }, `${name}: an editor would destroy it on saving`)
  }
})

t.test('detects images, video, audio and PDF by name, without reading them', async (t) => {
  const read = await createReader(t, { 'a.png': 'x', 'a.mp4': 'x', 'a.mp3': 'x', 'a.pdf': 'x' })
  t.strictSame(await read('a.png'), { type: 'image' })
  t.strictSame(await read('a.mp4'), { type: 'video' })
  t.strictSame(await read('a.mp3'), { type: 'audio' })
  t.strictSame(await read('a.pdf'), { type: 'pdf' })
})

t.test('returns a text of 10 MiB; a larger one is a blob', async (t) => {
  const size = 10 * 1024 * 1024
  const read = await createReader(t, { 'fits.txt': 'x'.repeat(size), 'large.txt': 'x'.repeat(size + 1) })
  t.equal((await read('fits.txt')).content?.length, size)
  t.strictSame(await read('large.txt'), { type: 'blob' })
})

t.test('folders and pipes are blobs, and a pipe never blocks', { timeout: 10_000 }, async (t) => {
  const read = await createReader(t, {})
  spawnSync(systemTool('mkfifo'), [join(t.testdirName, 'pipe.txt')])
  t.strictSame(await read('pipe.txt'), { type: 'blob' })
  t.strictSame(await read('/'), { type: 'blob' })
})

t.test('returns the remaining text of a file that is truncated while it is read', async (t) => {
  const root = t.testdir({ 'a.txt': 'x'.repeat(1000) })
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [] })
  await using held = await openPath(jail, normalizePath('a.txt').path)
  await truncate(join(root, 'a.txt'), 600)
  t.strictSame(await readText(held, async () => {}), { type: 'text', content: 'x'.repeat(600) })
})
