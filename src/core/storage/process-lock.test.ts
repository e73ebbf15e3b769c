import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { killAfter } from '#src/testing/kill-after.ts'
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

/** Starts another process that tries to lock `folder`, and returns its output. */
async function startOther(t: Test, folder: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder])
  const ended = once(child, 'exit')
  killAfter(t, child)
  const [line] = await once(child.stdout, 'data')
  return {
    output: String(line).trim(),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    stop: (signal: NodeJS.Signals) => child.kill(signal),
  }
}

const refused = {
  name: 'StartupProblem',
  message: /Another Coffer process uses the state in .*: stop it, or/,
}

t.test('a second process on the same state is refused until the first ends', async (t) => {
  const folder = t.testdir()
  const first = await startOther(t, folder)
  t.equal(first.output, 'held')
  t.match((await startOther(t, folder)).output, /^StartupProblem: Another Coffer process uses the state/)
  await t.rejects(lockProcess(folder), refused)
  await first.kill()
  t.equal((await startOther(t, folder)).output, 'held', 'a killed process does not block the next one')
})

t.test('the same process cannot lock the state twice, and close releases the lock', async (t) => {
  const folder = t.testdir()
  const held = await lockProcess(folder)
  await t.rejects(lockProcess(folder), refused)
  await held.close()
  const again = await lockProcess(folder)
  await again.close()
  t.strictSame(await readdir(folder), [], 'no file is left behind')
})

t.test('a suspended process keeps its lock', async (t) => {
  const folder = t.testdir()
  const first = await startOther(t, folder)
  first.stop('SIGSTOP')
  await t.rejects(lockProcess(folder), refused)
  first.stop('SIGCONT')
})

t.test('locks of dead processes do not accumulate', async (t) => {
  const folder = t.testdir()
  for (let round = 0; round < 4; round++) {
    const one = await startOther(t, folder)
    t.equal(one.output, 'held')
    await one.kill()
  }
  const held = await lockProcess(folder)
  t.equal((await readdir(folder)).length, 1)
  await held.close()
})

t.test('locks a folder with a long and hostile path', async (t) => {
  const folder = join(t.testdir(), 'a b#?%'.repeat(30), 'ä'.repeat(60))
  await mkdir(folder, { recursive: true })
  const held = await lockProcess(folder)
  await t.rejects(lockProcess(folder), refused)
  await held.close()
})

t.test('of many concurrent starts, exactly one gets the lock', async (t) => {
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

/** A name short enough for a socket, whose names have at most a hundred bytes. */
async function shortName(folder: string, name: string): Promise<string> {
  const link = join(await mkdtemp(join(tmpdir(), 'coffer-')), 'f')
  await symlink(folder, link)
  return join(link, name)
}

async function leaveDeadLock(folder: string): Promise<void> {
  const held = await lockProcess(folder)
  const [name = ''] = await readdir(folder)
  await held.close()
  // Leaves a socket whose process was killed: the name exists, but no process listens.
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

t.test('a missing folder is an error, not a lock', async (t) => {
  await t.rejects(lockProcess(join(t.testdir(), 'none')), { code: 'ENOENT' })
})

t.test('a silent process on the socket counts as a holder', async (t) => {
  const folder = t.testdir()
  const held = await lockProcess(folder)
  const [name = ''] = await readdir(folder)
  await held.close()
  const socketPath = await shortName(folder, name)
  const silent = createServer(() => {}).listen(socketPath)
  t.teardown(async () => {
    silent.close()
    await rm(dirname(dirname(socketPath)), { recursive: true })
  })
  await once(silent, 'listening')
  await t.rejects(lockProcess(folder), refused)
})
