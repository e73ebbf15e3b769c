import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { lockProcess } from './process-lock.ts'

const program = `
  const { lockProcess } = await import(${JSON.stringify(new URL('./process-lock.ts', import.meta.url).href)})
  try {
    await lockProcess(process.argv[1])
    process.stdout.write('held\\n')
    setInterval(() => {}, 1000)
  } catch (error) {
    process.stdout.write(error.name + ': ' + error.message + '\\n')
  }`

/** Another process that tries to hold `folder`; answers what it says of it. */
async function other(t: Test, folder: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder])
  const ended = once(child, 'exit')
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return {
    said: String(line).trim(),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    stop: (signal: NodeJS.Signals) => child.kill(signal),
  }
}

const refused = { name: 'StartupProblem', message: /Another Coffer works on the state in .*: stop it, or/ }

t.test('a second process on the same state is refused until the first ends', async (t) => {
  const folder = t.testdir()
  const first = await other(t, folder)
  t.equal(first.said, 'held')
  t.match((await other(t, folder)).said, /^StartupProblem: Another Coffer works on the state/)
  await t.rejects(lockProcess(folder), refused)
  await first.kill()
  t.equal((await other(t, folder)).said, 'held', 'what a killed process left is no obstacle')
})

t.test('the same process cannot hold it twice either, and lets go when it closes', async (t) => {
  const folder = t.testdir()
  const held = await lockProcess(folder)
  await t.rejects(lockProcess(folder), refused)
  await held.close()
  const again = await lockProcess(folder)
  await again.close()
  t.strictSame(await readdir(folder), [], 'and leaves nothing behind')
})

t.test('a process that is stopped, not ended, still holds', async (t) => {
  const folder = t.testdir()
  const first = await other(t, folder)
  first.stop('SIGSTOP')
  await t.rejects(lockProcess(folder), refused)
  first.stop('SIGCONT')
})

t.test('what dead processes left over the years does not add up', async (t) => {
  const folder = t.testdir()
  for (let round = 0; round < 4; round++) {
    const one = await other(t, folder)
    t.equal(one.said, 'held')
    await one.kill()
  }
  const held = await lockProcess(folder)
  t.equal((await readdir(folder)).length, 1)
  await held.close()
})

t.test('a folder with a long and hostile path can be held', async (t) => {
  const folder = join(t.testdir(), 'a b#?%'.repeat(30), 'ä'.repeat(60))
  await mkdir(folder, { recursive: true })
  const held = await lockProcess(folder)
  await t.rejects(lockProcess(folder), refused)
  await held.close()
})

t.test('of many that start at the same moment, exactly one holds', async (t) => {
  for (let round = 0; round < 25; round++) {
    const folder = join(t.testdir(), String(round))
    await mkdir(folder)
    if (round % 2) await leaveDeadLock(folder)
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockProcess(folder)))
    const winners = tries.filter((one) => one.status === 'fulfilled')
    t.equal(winners.length, 1, `round ${round}`)
    for (const one of tries) if (one.status === 'rejected') t.match(one.reason, refused)
    for (const { value } of winners) await value.close()
  }
})

/** A name that a socket can have: theirs are a hundred bytes at most. */
async function shortName(folder: string, name: string): Promise<string> {
  const link = join(await mkdtemp(join(tmpdir(), 'coffer-')), 'f')
  await symlink(folder, link)
  return join(link, name)
}

async function leaveDeadLock(folder: string): Promise<void> {
  const held = await lockProcess(folder)
  const [name = ''] = await readdir(folder)
  await held.close()
  // A socket whose process was killed: the name is there and nobody listens.
  const child = spawn(
    process.execPath,
    [
      '-e',
      `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`,
      name,
    ],
    { cwd: folder },
  )
  await once(child, 'exit')
}

t.test('a folder that is not there is a failure, not a lock', async (t) => {
  await t.rejects(lockProcess(join(t.testdir(), 'none')), { code: 'ENOENT' })
})

t.test('somebody else on the lock who never answers is somebody', async (t) => {
  const folder = t.testdir()
  const held = await lockProcess(folder)
  const [name = ''] = await readdir(folder)
  await held.close()
  const place = await shortName(folder, name)
  const silent = createServer(() => {}).listen(place)
  t.teardown(async () => {
    silent.close()
    await rm(dirname(dirname(place)), { recursive: true })
  })
  await once(silent, 'listening')
  await t.rejects(lockProcess(folder), refused)
})
