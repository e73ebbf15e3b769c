import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isReserved } from '#src/files/paths/user-path.ts'
import { otherUser } from '#src/testing/other-user.ts'
import { password, serveAs, signIn } from '#src/testing/program.ts'
import { fillUp, mountSmall, type SmallDisk, smallDisks } from '#src/testing/small-disk.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { exchange } from '#src/testing/wire.ts'

const MiB = 1024 * 1024

/** The program with its state, its log and its files on one small disk. Undefined when none can be mounted. */
async function serveOn(t: Test, { kind, runsOut }: SmallDisk) {
  const disk = mountSmall(t, kind)
  if (!disk) return undefined
  const root = join(disk, 'root')
  mkdirSync(join(root, 'tree', 'deep', 'deeper'), { recursive: true })
  for (const name of ['a.txt', 'empty', 'tree/b.txt', 'tree/deep/c.txt', 'tree/deep/deeper/d.txt']) {
    writeFileSync(join(root, name), name === 'empty' ? '' : name)
  }
  symlinkSync('a.txt', join(root, 'link'))
  mkdirSync(join(disk, 'state'))
  const log = join(disk, 'state', 'coffer.log')
  // Only a user without special permissions is subject to the reserve of root.
  const owner = runsOut === 'reserve' ? otherUser : undefined
  if (owner) execFileSync('chown', ['-R', '65534:65534', disk])
  const args = ['--password', password, '--database', join(disk, 'state', 'state.json'), '--log', log]
  const begin = async () => {
    const program = await serveAs(t, owner, root, ...args).catch((error: Error) => {
      throw new Error(`${error.message}\n${readFileSync(log, 'utf8').slice(-3000)}`, { cause: error })
    })
    const call = (method: string, path: string, token: string, body?: string) =>
      exchange(program.port, method, `/api/${path}`, { headers: { 'x-auth': token }, ...(body && { body }) })
    return { ...program, call }
  }
  const fill = () => {
    fillUp(join(root, 'fill'), runsOut)
    if (owner) execFileSync('chown', ['-R', '65534:65534', join(root, 'fill')])
  }
  return { root, log, begin, fill }
}

for (const [name, disk] of Object.entries(smallDisks)) {
  t.test(
    `on ${name}, users sign in, list, download, delete and sign out, and a killed server starts again`,
    async (t) => {
      const served = await serveOn(t, disk)
      if (!served) return void t.pass(name, { skip: 'this system does not allow a mount' })
      const { root, begin, fill } = served
      const server = await begin()
      const before = await signIn(server.port)
      const share = await server.call('POST', 'share/tree/deep', before)
      t.equal(share.status, 200, share.body)
      fill()

      const token = await signIn(server.port)
      t.equal((await server.call('GET', 'resources/', token)).status, 200)
      t.equal((await server.call('GET', 'raw/a.txt', token)).body, 'a.txt')
      t.equal((await server.call('POST', 'renew', token)).status, 200)
      // More than the history of changes has in reserve.
      const isFull = await server.call('POST', 'resources/new.txt', token, 'new'.repeat(500_000))
      t.equal(isFull.status, 507, isFull.body)
      fill() // the reserve of the history gave some room
      const copy = await server.call('PATCH', 'resources/tree?action=copy&destination=/copy', token)
      t.equal(copy.status, 507, copy.body)

      for (const path of ['empty', 'link', 'tree/deep', 'tree', 'a.txt']) {
        // The trash needs no space, but frees none.
        const how = path === 'empty' || path === 'link' ? '' : '?permanent=true'
        const { status, body } = await server.call('DELETE', `resources/${path}${how}`, token)
        t.equal(status, 200, `${path}: ${body}`)
      }
      t.strictSame(readdirSync(root), ['fill'])
      t.equal(
        (await server.call('GET', 'shares', token)).body.trim(),
        '[]',
        'the share of a deleted resource ended',
      )
      t.equal((await server.call('DELETE', 'sessions', token)).status, 200)
      t.equal((await server.call('POST', 'logout', token)).status, 200)
      for (const ended of [before, token]) t.equal((await server.call('GET', 'shares', ended)).status, 401)

      fill()
      server.child.kill('SIGKILL')
      await server.ended
      const again = await begin()
      const last = await signIn(again.port)
      t.equal((await again.call('DELETE', 'resources/fill?permanent=true', last)).status, 200)
      t.equal((await again.call('POST', 'resources/new.txt', last, 'new')).status, 200)
      t.strictSame(readdirSync(root), ['new.txt'])
    },
  )
}

t.test('a session that the full disk cannot store is reported in the log', async (t) => {
  const { 'tmpfs without inodes': disk } = smallDisks
  const served = await serveOn(t, disk)
  if (!served) return void t.pass('a small disk', { skip: 'this system does not allow a mount' })
  const { port } = await served.begin()
  served.fill()
  await signIn(port)
  t.match(
    readFileSync(served.log, 'utf8'),
    /the server cannot save a session to disk; the session ends when the server stops errno=ENOSPC/,
  )
})

t.test(
  "when only the state's disk is full, files and shares change as usual, and a resumable upload is refused",
  async (t) => {
    const disk = mountSmall(t, 'tmpfs')
    if (!disk) return void t.pass('a small disk', { skip: 'this system does not allow a mount' })
    const root = join(t.testdir({ root: { 'a.txt': 'old' } }), 'root')
    const args = ['--password', password, '--database', join(disk, 'state.json')]
    const { port } = await serveAs(t, undefined, root, ...args)
    const headers = { 'x-auth': await signIn(port) }
    const call = (method: string, path: string, body = '') =>
      exchange(port, method, `/api/${path}`, { headers, body })
    t.equal((await call('POST', 'share/')).status, 200)
    fillUp(join(disk, 'fill'), 'blocks')
    t.equal((await call('PUT', 'resources/a.txt', 'new')).status, 200)
    t.equal((await call('POST', 'resources/b.txt', 'new')).status, 200)
    for (const name of ['a.txt', 'b.txt']) t.equal((await call('POST', `share/${name}`)).status, 200)
    fillUp(join(disk, 'fill'), 'blocks') // the reserve of the history gave some room
    const upload = await exchange(port, 'POST', '/api/tus/c.txt', {
      headers: { ...headers, 'upload-length': '9' },
    })
    t.equal(upload.status, 507, upload.body)
    t.notMatch(upload.body, disk)
    t.strictSame(
      readdirSync(root).filter((name) => !isReserved(name)),
      ['a.txt', 'b.txt'],
    )
  },
)

t.test(
  'copies and moves to another disk keep the reserve, and leave nothing of what does not fit',
  async (t) => {
    const small = mountSmall(t, 'tmpfs')
    if (!small) return void t.pass('a small disk', { skip: 'this system does not allow a mount' })
    const base = t.testdir({ files: { many: {} } })
    const from = join(base, 'files')
    writeFileSync(join(from, 'large.bin'), Buffer.alloc(10 * MiB))
    for (let n = 0; n < 40; n++) writeFileSync(join(from, 'many', `${n}.bin`), Buffer.alloc(MiB / 4))
    // The root is the small disk. The source of the copies is below it, on the large disk.
    mkdirSync(join(small, 'large'))
    execFileSync(systemTool('mount'), ['--bind', from, join(small, 'large')])
    t.teardown(() => execFileSync(systemTool('umount'), ['-l', join(small, 'large')]))
    const { port } = await serveAs(
      t,
      undefined,
      small,
      '--password',
      password,
      '--database',
      join(base, 's.json'),
    )
    const headers = { 'x-auth': await signIn(port) }
    const transfer = (path: string, action: 'copy' | 'rename', to: string) =>
      exchange(port, 'PATCH', `/api/resources/${path}?action=${action}&destination=${to}`, { headers })
    const free = () => {
      const { bavail, bsize } = statfsSync(small)
      return bavail * bsize
    }
    t.equal((await transfer('large/large.bin', 'copy', '/one.bin')).status, 200)
    const before = free()
    for (const action of ['copy', 'rename'] as const) {
      for (const path of ['large/large.bin', 'large/many']) {
        const { status, body } = await transfer(path, action, '/two')
        t.match({ status, body }, { status: 507, body: /no space left for \/two/ }, `${action} ${path}`)
        t.equal(free(), before, 'no partial copy is left')
        t.strictSame(
          readdirSync(small).filter((name) => !isReserved(name)),
          ['large', 'one.bin'],
        )
      }
    }
    t.equal(readdirSync(join(from, 'many')).length, 40, 'the source stays')
    const rest = before - 128 * 1024
    writeFileSync(join(small, 'filler'), Buffer.alloc(rest))
    writeFileSync(join(from, 'small.txt'), 'a few bytes')
    t.equal((await transfer('large/small.txt', 'copy', '/small.txt')).status, 507, 'only the reserve is left')
    t.ok(free() > 64 * 1024)
  },
)
