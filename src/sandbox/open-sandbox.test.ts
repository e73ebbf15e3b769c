import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { killAfter } from '#src/testing/kill-after.ts'
import { openFolder } from '#src/testing/other-user.ts'
import { run, serveAs } from '#src/testing/program.ts'
import { hasSandbox } from '#src/testing/sandbox.ts'
import { systemTool } from '#src/testing/system-tool.ts'

const sentence = /^Commands run in a sandbox \(\/\S+\/(bwrap|unshare)\)\.$/m
const uid = 4321
const isRoot = process.getuid?.() === 0

t.test('the startup message says how commands run, and is absent when commands are disabled', async (t) => {
  const root = join(t.testdir({ root: {} }), 'root')
  t.notMatch((await serveAs(t, undefined, root)).said(), /Commands run/)
  const words = ['--enable-exec', '--exec-without-sandbox', '--database', `${root}2.json`]
  t.match((await serveAs(t, undefined, root, ...words)).said(), /^Commands run WITHOUT a sandbox/m)
  if (!(await hasSandbox())) {
    t.pass('no sandbox can be made here')
    return
  }
  const more = ['--enable-exec', '--exec-network', '--database', `${root}3.json`]
  const { said } = await serveAs(t, undefined, root, ...more)
  t.match(said(), /^Commands run in a sandbox \(\S+\) with network access\.$/m)
})

t.test('a server without superuser rights also makes a sandbox', async (t) => {
  if (!isRoot || !(await hasSandbox())) {
    t.pass('only the superuser can start the server as another user')
    return
  }
  const folder = openFolder(t)
  mkdirSync(join(folder, 'root'))
  for (const path of [folder, join(folder, 'root')]) chownSync(path, uid, uid)
  const { said } = await serveAs(t, { uid, gid: uid }, join(folder, 'root'), '--enable-exec')
  t.match(said(), sentence)
})

t.test('the server does not start with commands enabled if no sandbox can be made', async (t) => {
  const base = t.testdir({ root: {} })
  const root = join(base, 'root')
  // Runs in a user namespace that allows no nested namespaces.
  const main = join(import.meta.dirname, '..', 'cli', 'main.ts')
  const words = [process.execPath, main, '--root', root, '--port', '0', '--enable-exec']
  const script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
  const child = spawn(
    systemTool('unshare'),
    ['--user', '--map-root-user', 'sh', '-c', script, 'sh', ...words],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  killAfter(t, child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  const code = await new Promise((resolve) => {
    child.on('close', resolve)
    child.on('error', () => resolve(undefined))
  })
  if (code === undefined || /^unshare|^sh:/m.test(said)) {
    t.pass('no user namespace can be made here')
    return
  }
  t.equal(code, 2)
  t.match(
    said,
    /^--enable-exec found no working sandbox \(.*\): install bubblewrap .*--exec-without-sandbox, .*\.\n$/,
  )
  t.notMatch(said, /enter the code/, 'the code for the set-up is not printed before the check')
})

t.test('the server does not start with commands enabled if its state is in a program folder', async (t) => {
  const place = `/usr/share/coffer-test-${process.pid}`
  try {
    mkdirSync(place)
  } catch {
    t.pass('only the superuser can make a folder there')
    return
  }
  t.teardown(() => rmSync(place, { recursive: true }))
  const root = join(t.testdir({ root: {} }), 'root')
  const program = run(
    t,
    '--root',
    root,
    '--port',
    '0',
    '--enable-exec',
    '--database',
    join(place, 'state.json'),
  )
  t.equal(await program.ended, 2)
  t.match(program.said(), /^--enable-exec found no working sandbox \(\/usr\/share\/\S+ is in a system folder/)
})

t.test('the server does not start if the generator of the website is not installed', async (t) => {
  const base = t.testdir({ root: {}, empty: {} })
  for (const name of ['hugo', 'jekyll']) {
    const main = join(import.meta.dirname, '..', 'cli', 'main.ts')
    const words = [main, '--root', join(base, 'root'), '--port', '0', '--staticgen', name]
    const child = spawn(process.execPath, words, {
      env: { PATH: join(base, 'empty') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    killAfter(t, child)
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    t.equal(await new Promise((resolve) => child.on('close', resolve)), 2)
    t.match(said, new RegExp(`--staticgen ${name} needs the program ${name}: install .*${name}`))
  }
})
