import { execFileSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { StartupProblem } from '#src/core/problem.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { systemdUnit } from './systemd.ts'

const program = ['/usr/local/bin/coffer']

function createRoot(t: Test) {
  const folder = t.testdir({ 'my files': {} })
  return { folder, root: path.join(folder, 'my files') }
}

t.test('the unit runs this program with absolute paths, quoted for systemd', async (t) => {
  const { root } = createRoot(t)
  const unit = await systemdUnit(
    ['-r', path.relative('.', root), '--port', '9000', '--username', '50% $x'],
    program,
  )
  t.ok(unit.includes(`ExecStart=/usr/local/bin/coffer serve "--root=${root}" --port=9000 `), unit)
  t.ok(unit.includes('"--username=50%% $$x"'))
})

t.test('a port below 1024 adds the one capability it needs, other ports add none', async (t) => {
  const { root } = createRoot(t)
  t.match(
    await systemdUnit(['-r', root, '-p', '80'], program),
    /^CapabilityBoundingSet=CAP_NET_BIND_SERVICE$/m,
  )
  t.match(await systemdUnit(['-r', root, '-p', '8080'], program), /^CapabilityBoundingSet=$/m)
})

t.test('the service runs as the owner of the root and can write there', async (t) => {
  const { folder, root } = createRoot(t)
  if (process.getuid?.() !== 0) {
    t.pass('only the superuser can change the owner of the folder')
    return
  }
  chownSync(root, 1234, 1234)
  const moved = await systemdUnit(['-r', root], program)
  t.match(moved, /^User=1234$/m)
  t.match(moved, /^StateDirectory=coffer$/m, 'it could not write its state beside the root')
  t.ok(moved.includes(`ReadWritePaths="${root}"`), moved)
  chownSync(folder, 1234, 1234)
  const beside = await systemdUnit(['-r', root], program)
  t.notMatch(beside, /StateDirectory/)
  t.ok(beside.includes(`"--database=${root}.coffer.json"`))
  t.ok(beside.includes(folder), 'the folder of the state is writable too')
})

t.test('a password is never written to a unit', async (t) => {
  const { root } = createRoot(t)
  await t.rejects(systemdUnit(['-r', root, '--password', 'secret'], program), StartupProblem)
  const check = ['--recaptcha-key', 'k', '--recaptcha-secret', 's']
  await t.rejects(systemdUnit(['-r', root, ...check], program), {
    message: /^--recaptcha-secret would be readable for every user/,
  })
  t.match(await systemdUnit(['-r', root, '--stop-timeout', '90s'], program), /^TimeoutStopSec=110$/m)
})

t.test('the unit allows namespaces and mounts only when commands run in a sandbox', async (t) => {
  const { root } = createRoot(t)
  const strict = [/^RestrictNamespaces=yes$/m, /^ProtectKernelTunables=yes$/m, /^ProtectKernelLogs=yes$/m]
  const open = [/^RestrictNamespaces=cgroup ipc mnt net pid user uts$/m, /^SystemCallFilter=@mount capset$/m]
  for (const words of [[], ['--enable-exec', '--exec-without-sandbox'], ['--exec-network']]) {
    const unit = await systemdUnit(['-r', root, ...words], program)
    for (const line of strict) t.match(unit, line, words.join(' '))
    for (const line of open) t.notMatch(unit, line, words.join(' '))
  }
  const unit = await systemdUnit(['-r', root, '--enable-exec'], program)
  for (const line of open) t.match(unit, line)
  for (const line of strict) t.notMatch(unit, line)
  t.match(unit, /^NoNewPrivileges=yes$/m)
  t.match(unit, /^CapabilityBoundingSet=$/m)
  t.ok(
    unit.indexOf('SystemCallFilter=@mount') > unit.indexOf('SystemCallFilter=~@privileged'),
    'the last line counts',
  )
})

for (const words of [[], ['--enable-exec']]) {
  t.test(`systemd accepts the unit ${words.join(' ')}`, async (t) => {
    const { folder, root } = createRoot(t)
    const file = path.join(folder, 'coffer.service')
    writeFileSync(file, `${await systemdUnit(['-r', root, '--baseurl', '/f', ...words], ['/bin/true'])}\n`)
    try {
      execFileSync(systemTool('systemd-analyze'), ['--version'], { stdio: 'ignore' })
    } catch {
      t.pass('systemd-analyze is not installed')
      return
    }
    t.doesNotThrow(() => execFileSync(systemTool('systemd-analyze'), ['verify', file], { stdio: 'pipe' }))
  })
}
