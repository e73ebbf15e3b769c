import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { setModified } from './temp-file.ts'

t.test('a file gets exactly the millisecond of its source, and keeps its own time without one', async (t) => {
  const path = join(t.testdir({ 'a.txt': 'a' }), 'a.txt')
  await using file = await open(path, 'r+')
  const before = statSync(path).mtimeMs
  await setModified(file, undefined)
  t.equal(statSync(path).mtimeMs, before)
  for (let n = 0; n < 1000; n++) {
    const time = 1_700_000_000_000 + n
    await setModified(file, time)
    t.equal(statSync(path).mtimeMs, time)
  }
  for (const time of [0, 1, 999, 2_147_483_647_999]) {
    await setModified(file, time)
    t.equal(statSync(path).mtimeMs, time)
  }
})

t.test('a disk that stores no times keeps the time of the upload, and other errors are thrown', async (t) => {
  const path = join(t.testdir({ 'a.txt': 'a' }), 'a.txt')
  await using file = await open(path, 'r+')
  const failing = (code: string) =>
    Object.assign(Object.create(file), {
      utimes: () => Promise.reject(Object.assign(new Error(code), { code })),
    })
  await setModified(failing('EPERM'), 1)
  await t.rejects(setModified(failing('EIO'), 1), { code: 'EIO' })
})
