import { execFileSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { StartupProblem } from '#src/core/problem.ts'
import { canSendDatagrams } from '#src/lifecycle/datagram.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { systemdUnit } from './systemd.ts'
import { socketUnit } from './systemd-socket.ts'

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

t.test('the service can write every folder that it uses, also those below /var/lib/coffer', async (t) => {
  const { folder, root } = createRoot(t)
  const placesOf = async (...words: string[]) =>
    /^ReadWritePaths=(.*)$/m.exec(await systemdUnit(['-r', root, ...words], program))?.[1]
  const own = ['-d', path.join(folder, 'state.json')]
  t.match(await placesOf(...own, '--cache-dir', '/var/lib/coffer/cache'), / \/var\/lib\/coffer\/cache$/)
  t.match(await placesOf('--cache-dir', '/var/lib/coffer-2'), / \/var\/lib\/coffer-2$/)
  if (process.getuid?.() !== 0) return
  chownSync(root, 1234, 1234)
  const moved = await placesOf('--cache-dir', '/var/lib/coffer/cache', '-l', '/var/lib/coffer-2/log')
  t.equal(moved, `"${root}" /var/lib/coffer-2`, 'StateDirectory= makes the folder of the state writable')
})

t.test('the unit has the absolute path of the log file, and no path for other targets', async (t) => {
  const { root } = createRoot(t)
  const commandWith = async (target: string) =>
    /^ExecStart=.*$/m.exec(await systemdUnit(['-r', root, '--log', target], program))?.[0]
  t.ok((await commandWith('coffer.log'))?.includes(`--log=${path.resolve('coffer.log')}`))
  for (const target of ['stdout', 'stderr']) t.ok((await commandWith(target))?.includes(`--log=${target}`))
  t.match(await commandWith(''), / --log=( |$)/)
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
  const site = await systemdUnit(['-r', root, '--staticgen', 'hugo'], program)
  t.match(site, / --staticgen=hugo/)
  for (const line of open) t.match(site, line, 'the generator of the website runs in a sandbox too')
  t.match(unit, /^NoNewPrivileges=yes$/m)
  t.match(unit, /^CapabilityBoundingSet=$/m)
  t.ok(
    unit.indexOf('SystemCallFilter=@mount') > unit.indexOf('SystemCallFilter=~@privileged'),
    'the last line counts',
  )
})

t.test(
  'systemd waits until Coffer is ready, restarts it when it is blocked, and can reload it',
  async (t) => {
    const { root } = createRoot(t)
    const unit = await systemdUnit(['-r', root], program)
    if (canSendDatagrams()) t.match(unit, /^Type=notify\nNotifyAccess=main\n#.*\nWatchdogSec=60$/m)
    else t.match(unit, /^Type=exec$/m)
    t.match(unit, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
  },
)

t.test('the unit of the socket listens where the flags say', async (t) => {
  const { folder, root } = createRoot(t)
  const streamOf = async (...words: string[]) =>
    /^ListenStream=(.*)$/m.exec(await socketUnit(['-r', root, ...words]))?.[1]
  t.equal(await streamOf(), '127.0.0.1:8080')
  t.equal(await streamOf('-a', '::', '-p', '80'), '[::]:80')
  t.equal(await streamOf('--socket', path.join(folder, '50%')), path.join(folder, '50%%'))
  t.match(await socketUnit(['-r', root, '--socket', '/run/x', '--socket-perm', '0600']), /^SocketMode=0600$/m)
  await t.rejects(socketUnit(['-r', root, '-p', '0']), { message: /^--socket-unit needs a port: / })
  await t.rejects(socketUnit(['-r', root, '-a', 'localhost']), {
    message: /^--socket-unit needs an IP address: /,
  })
})

for (const words of [[], ['--enable-exec']]) {
  t.test(`systemd accepts the unit ${words.join(' ')}`, async (t) => {
    const { folder, root } = createRoot(t)
    const file = path.join(folder, 'coffer.service')
    const socket = path.join(folder, 'coffer.socket')
    writeFileSync(socket, `${await socketUnit(['-r', root, '-a', '::1'])}\n`)
    writeFileSync(file, `${await systemdUnit(['-r', root, '--baseurl', '/f', ...words], ['/bin/true'])}\n`)
    try {
      execFileSync(systemTool('systemd-analyze'), ['--version'], { stdio: 'ignore' })
    } catch {
      t.pass('systemd-analyze is not installed')
      return
    }
    t.doesNotThrow(() =>
      execFileSync(systemTool('systemd-analyze'), ['verify', file, socket], { stdio: 'pipe' }),
    )
  })
}
