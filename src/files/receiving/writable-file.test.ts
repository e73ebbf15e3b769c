import { constants } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openWritable } from './writable-file.ts'

const { O_WRONLY, O_CREAT, O_EXCL } = constants
const isOnLocalDisk = true

t.test('a file contains its small and large pieces, wherever they were written', async (t) => {
  for (const isOnLocalDisk of [true, false]) await check(t, isOnLocalDisk)
})

async function check(t: Test, isOnLocalDisk: boolean): Promise<void> {
  const name = join(t.testdir(), `local-${isOnLocalDisk}.bin`)
  const large = Buffer.alloc(300_000, 'large')
  await using file = await openWritable(name, O_WRONLY | O_CREAT | O_EXCL, { mode: 0o600, isOnLocalDisk })
  t.equal((await file.writev([Buffer.from('ab'), Buffer.from('cd')], 0)).bytesWritten, 4)
  await file.writev([large], 4)
  await file.write(Buffer.from('__CD__'), 2, 2, 2)
  await file.datasync()
  t.strictSame(await readFile(name), Buffer.concat([Buffer.from('abCD'), large]))
  t.equal((await file.stat()).size, 4 + large.length)
  await file.truncate(3)
  await file.chmod(0o640)
  t.equal(await readFile(name, 'utf8'), 'abC')
  t.equal((await stat(name)).mode & 0o777, 0o640)
}

t.test('a whole content can be text or bytes', async (t) => {
  const folder = t.testdir()
  for (const content of ['äöü', Buffer.from([0, 255]), '']) {
    const name = join(folder, `${content.length}`)
    await using file = await openWritable(name, O_WRONLY | O_CREAT, { isOnLocalDisk })
    await file.writeFile(content)
    t.strictSame(await readFile(name), Buffer.from(content))
  }
})

t.test('a second close does not close a file that got the same number', async (t) => {
  const folder = t.testdir({ other: 'text' })
  const first = await openWritable(join(folder, 'first'), O_WRONLY | O_CREAT, { isOnLocalDisk })
  await first.close()
  await using second = await openWritable(join(folder, 'other'), O_WRONLY, { isOnLocalDisk })
  t.equal(second.fd, first.fd)
  await first.close()
  t.equal((await second.stat()).size, 4)
  const calls: (() => Promise<unknown>)[] = [
    () => first.writev([Buffer.from('x')], 0),
    () => first.write(Buffer.from('x'), 0, 1, 0),
    () => first.writeFile('x'),
    () => first.truncate(0),
    () => first.chmod(0o777),
    () => first.datasync(),
  ]
  for (const call of calls) await t.rejects(call(), { code: 'EBADF' })
  t.equal(await readFile(join(folder, 'other'), 'utf8'), 'text', 'the other file is untouched')
})

t.test('a close waits for the writes that run', async (t) => {
  const name = join(t.testdir(), 'a.bin')
  const large = Buffer.alloc(4 * 1024 * 1024, 'large')
  const file = await openWritable(name, O_WRONLY | O_CREAT, { isOnLocalDisk })
  const written = Promise.all([0, 1, 2].map((n) => file.write(large, 0, large.length, n * large.length)))
  await file.close()
  t.strictSame(await readFile(name), Buffer.concat([large, large, large]))
  await written
})
