import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findProgram, findProgramByNameOrPath } from './find-program.ts'

/** Makes a folder of programs beside a served folder, which contains a program too. */
function folders(t: Test) {
  const base = realpathSync(
    t.testdir({ bin: { tool: '#!/bin/sh\n', notes: '' }, served: { upload: '#!/bin/sh\n' } }),
  )
  const [bin, served] = [join(base, 'bin'), join(base, 'served')]
  chmodSync(join(bin, 'tool'), 0o755)
  chmodSync(join(served, 'upload'), 0o755)
  return { base, bin, served, path: `${bin}:${served}` }
}

t.test('finds a program by its name in the folders of PATH, in their order', async (t) => {
  const { bin, served, path } = folders(t)
  t.equal(await findProgram('tool', { path, served }), join(bin, 'tool'))
  t.equal(await findProgram('notes', { path, served }), undefined, 'a file that is not executable')
  t.equal(await findProgram('nothing', { path, served }), undefined)
})

t.test('finds no program for a name that contains a path', async (t) => {
  const { bin, path, served } = folders(t)
  for (const name of ['', '.', '..', './tool', '../bin/tool', join(bin, 'tool'), 'tool/', 'to\0ol']) {
    t.equal(await findProgram(name, { path, served }), undefined, name)
  }
})

t.test('finds no program in the served folder, even through PATH or a symbolic link', async (t) => {
  const { bin, path, served } = folders(t)
  symlinkSync(join(served, 'upload'), join(bin, 'linked'))
  for (const name of ['upload', 'linked']) t.equal(await findProgram(name, { path, served }), undefined, name)
  t.equal(await findProgramByNameOrPath(join(served, 'upload'), { path, served }), undefined)
  t.equal(
    await findProgram('tool', { path, served: '/' }),
    join(bin, 'tool'),
    'unless the whole disk is served',
  )
})

t.test('skips relative and empty folders of PATH', async (t) => {
  const { base, served } = folders(t)
  mkdirSync(join(base, 'here'))
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  process.chdir(join(base, 'bin'))
  t.equal(await findProgram('tool', { path: ':.:./:../bin', served }), undefined)
})

t.test('an administrator may name a program by its absolute path', async (t) => {
  const { bin, path, served } = folders(t)
  writeFileSync(join(bin, 'other'), '')
  t.equal(await findProgramByNameOrPath(join(bin, 'tool'), { path: '', served }), join(bin, 'tool'))
  t.equal(await findProgramByNameOrPath('tool', { path, served }), join(bin, 'tool'))
  for (const name of [join(bin, 'other'), bin, join(bin, 'nothing'), './tool']) {
    t.equal(await findProgramByNameOrPath(name, { path, served }), undefined, name)
  }
})
