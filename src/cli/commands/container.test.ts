import { spawnSync } from 'node:child_process'
import { chownSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { StartupProblem } from '#src/core/problem.ts'
import { run, runAsService } from '#src/testing/program.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { identityOf, takeOwnership } from './container-owner.ts'

t.test('PUID and PGID, or UID and GID, name the user of the image; without them it is 1000', async (t) => {
  t.strictSame(identityOf({}), { uid: 1000, gid: 1000, umask: undefined })
  t.strictSame(identityOf({ PUID: '99', PGID: '100', UMASK: '002' }), { uid: 99, gid: 100, umask: 0o002 })
  t.match(identityOf({ UID: '501', GID: '20' }), { uid: 501, gid: 20 })
  t.match(identityOf({ PUID: '1', UID: '2', PGID: '', GID: '3' }), { uid: 1, gid: 3 })
  t.match(identityOf({ PUID: '0' }), { uid: 0, gid: 1000 })
  for (const PUID of ['alice', '-1', '1.5', '4294967295', '99999999999', '1000:1000', ' 1'])
    t.throws(() => identityOf({ PUID }), { message: /^PUID must be the number of a user/ }, PUID)
  for (const UMASK of ['8', '999', '22', 'u=rwx'])
    t.throws(() => identityOf({ UMASK }), StartupProblem, UMASK)
})

t.test('the entry point of the image refuses to run outside of the image', async (t) => {
  t.testdir({})
  const program = run(t, 'container')
  t.equal(await program.ended, 2)
  t.match(program.said(), /only for the image/)
})

t.test('the version of the image can be asked for, as a flag too', async (t) => {
  t.testdir({})
  const env = { COFFER_CONTAINER: 'yes', PUID: '0' }
  for (const flag of ['--version', '-v']) {
    const program = runAsService(t, { env }, 'container', flag)
    t.equal(await program.ended, 0, program.said())
    t.match(program.said(), /^coffer \d/m)
  }
})

const root = process.getuid?.() === 0

t.test(
  'the image takes only what is in its own folders: no served file, no link and no file with two names',
  { skip: !root && 'only root can change owners' },
  async (t) => {
    const folder = t.testdir({
      own: { 'state.json': '{}', deep: { a: '' }, srv: { 'b.txt': '' } },
      outside: { c: '' },
    })
    const at = (...names: string[]) => path.join(folder, ...names)
    symlinkSync(at('outside'), at('own', 'link'))
    linkSync(at('outside', 'c'), at('own', 'second-name'))
    mkdirSync(at('own', 'taken'))
    chownSync(at('own', 'taken'), 4321, 4321)
    const warnings: string[] = []
    const owner = { uid: 4321, gid: 4322, served: at('own', 'srv') }
    takeOwnership(at('own'), { ...owner, warn: (line) => warnings.push(line) })
    const ownerOf = (...names: string[]) => [statSync(at(...names)).uid, statSync(at(...names)).gid]
    for (const names of [
      ['own'],
      ['own', 'state.json'],
      ['own', 'deep'],
      ['own', 'deep', 'a'],
      ['own', 'taken'],
    ])
      t.strictSame(ownerOf(...names), [4321, 4322], names.join('/'))
    for (const names of [['own', 'srv'], ['own', 'srv', 'b.txt'], ['outside'], ['outside', 'c']])
      t.strictSame(ownerOf(...names), [0, 0], names.join('/'))
    takeOwnership(at('missing'), { ...owner, warn: (line) => warnings.push(line) })
    t.strictSame(warnings, [])
  },
)

t.test(
  'a command other than serve changes no owner, because the served folder may be in a folder of Coffer',
  { skip: !root && 'only root can change owners' },
  async (t) => {
    const config = t.testdir({ files: { 'a.txt': '' }, 'settings.json': '{"root":"/config/files"}' })
    // The same system, with a folder /config.
    const places = readdirSync('/').filter((name) => !['config', 'dev', 'proc'].includes(name))
    const mounts = places.flatMap((name) => ['--bind', `/${name}`, `/${name}`])
    const more = ['--dev-bind', '/dev', '/dev', '--proc', '/proc', '--bind', config, '/config']
    const inside = [...mounts, ...more, '--cap-add', 'ALL', '--setenv', 'COFFER_CONTAINER', 'yes']
    const bwrap = systemTool('bwrap')
    if (spawnSync(bwrap, [...inside, process.execPath, '--version']).status !== 0) {
      t.pass('bwrap is not installed or may not be used')
      return
    }
    const main = path.join(import.meta.dirname, '..', 'main.ts')
    const words = [...inside, '--setenv', 'PUID', '0', '--setenv', 'PGID', '4321']
    const ended = spawnSync(bwrap, [...words, process.execPath, main, 'container', 'version'])
    t.equal(ended.status, 0, String(ended.stderr))
    t.strictSame(
      ['.', 'files', 'files/a.txt'].map((name) => statSync(path.join(config, name)).gid),
      [0, 0, 0],
    )
  },
)
