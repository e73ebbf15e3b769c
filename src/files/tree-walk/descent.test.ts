// Needs a process of its own: it counts the open files of the process.
import { mkdirSync, readdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeDeepFolders } from '#src/testing/deep.ts'
import { createDescent } from './descent.ts'

const onLinux = { skip: process.platform !== 'linux' }
const openNow = () => readdirSync('/proc/self/fd').length

function descend(t: Test, levels: number) {
  const base = realpathSync(t.testdir({ top: {} }))
  makeDeepFolders(join(base, 'top'), levels)
  const descent = createDescent()
  t.teardown(descent.close)
  descent.down(join(base, 'top'))
  const down = (count: number) => {
    for (let level = 0; level < count; level++) descent.down(`${descent.address()}/d`)
  }
  return { base, descent, down }
}

t.test('a descent of 300 levels holds 33 folders open and returns to the top', onLinux, async (t) => {
  const before = openNow()
  const { descent, down } = descend(t, 300)
  down(300)
  t.equal(openNow() - before, 33)
  t.strictSame(readdirSync(String(descent.address())), ['deepest.txt'])
  for (let level = 300; level > 0; level--) {
    descent.up()
    if (readdirSync(String(descent.address())).join() !== 'd') t.fail(`lost at level ${level}`)
    if (openNow() - before > 34) t.fail(`${openNow() - before} are open at level ${level}`)
  }
  t.equal(descent.depth(), 1)
  descent.close()
  t.equal(openNow(), before)
})

t.test('going up fails with EBUSY when the folder was moved during the descent', onLinux, async (t) => {
  const { base, descent, down } = descend(t, 100)
  mkdirSync(join(base, 'elsewhere'))
  down(100)
  // Moves the folder at level 50. The descent has already closed the folder above it.
  renameSync(join(base, 'top', 'd/'.repeat(50)), join(base, 'elsewhere/d'))
  for (let level = 100; level > 50; level--) descent.up()
  t.equal(descent.depth(), 51)
  t.throws(() => descent.up(), { code: 'EBUSY' })
  t.equal(descent.depth(), 1, 'the descent is back at the deepest folder that is still open')
  t.strictSame(readdirSync(String(descent.address())), ['d'])
})

t.test('a descent does not follow symbolic links', onLinux, async (t) => {
  const { base, descent } = descend(t, 2)
  symlinkSync('.', join(base, 'top/link'))
  t.throws(() => descent.down(`${descent.address()}/link`), { code: /ENOTDIR|ELOOP/ })
  t.equal(descent.depth(), 1)
})
