// Needs a process of its own: it counts the threads of the process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { unconditional } from '#src/core/problem.ts'
import { openJail } from '#src/files/jail/jail.ts'
import type { ListResult } from '#src/files/listing/list-folder.ts'
import type { ListTask } from '#src/files/listing/list-task.ts'
import { rootPath } from '#src/files/paths/user-path.ts'
import { killAfter } from '#src/testing/kill-after.ts'
import { createWorkerPool } from './worker-pool.ts'

const how = { recheck: unconditional }

async function startPool(t: Test, threads = 1, idleMs?: number) {
  const root = t.testdir({ d: { 'a b#?.txt': '' } })
  const workers = createWorkerPool<ListTask, ListResult>('list', {
    threads,
    ...(idleMs !== undefined && { idleMs }),
  })
  t.teardown(() => workers.close())
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [] })
  const task = (folder: string): ListTask => ({
    address: join(root, folder),
    real: join(root, folder),
    root: jail.root,
    secret: [],
    path: `/${folder}`,
    rules: [],
    hideDotfiles: false,
    sorting: { by: 'name', asc: false },
    page: '/files',
  })
  return { root, workers, task }
}

const namesOf = ({ items }: ListResult) =>
  JSON.parse(`[${Buffer.from(items)}]`).map(({ name }: { name: string }) => name)

t.test('runs many tasks and returns the result of each', async (t) => {
  const { root, workers, task } = await startPool(t, 2)
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, n) => workers.run(task(n % 2 ? 'd' : ''), how)),
  )
  results.forEach((result, n) => {
    t.strictSame(namesOf(result), n % 2 ? ['a b#?.txt'] : ['d'])
  })
  await writeFile(join(root, 'd', 'later'), '')
  t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt', 'later'])
})

t.test('a failed task rejects with the error of the system, and the thread continues', async (t) => {
  const { workers, task } = await startPool(t)
  await t.rejects(workers.run(task('none'), how), { code: 'ENOENT' })
  t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt'])
})

t.test('aborting a running task ends its thread, and the next task gets a new one', async (t) => {
  const { workers, task } = await startPool(t)
  const controller = new AbortController()
  const { signal } = controller
  const runs = Promise.allSettled([
    workers.run(task('d'), { ...how, signal }),
    workers.run(task('d'), { ...how, signal }),
  ])
  controller.abort(new Error('the reader left'))
  for (const run of await runs) t.match(run, { status: 'rejected', reason: { message: 'the reader left' } })
  await t.rejects(workers.run(task('d'), { ...how, signal }), { message: 'the reader left' })
  t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt'])
})

t.test(
  'a task with untilBegun can be aborted while it waits, and runs to its end once it has started',
  async (t) => {
    const { workers, task } = await startPool(t)
    const controller = new AbortController()
    const untilBegun = controller.signal
    const [started, waiting] = [
      workers.run(task('d'), { ...how, signalWhileQueued: untilBegun }),
      workers.run(task('d'), { ...how, signalWhileQueued: untilBegun }),
    ]
    controller.abort(new Error('the reader left'))
    await t.rejects(waiting, { message: 'the reader left' })
    t.strictSame(namesOf(await started), ['a b#?.txt'])
    await t.rejects(workers.run(task('d'), { ...how, signalWhileQueued: untilBegun }), {
      message: 'the reader left',
    })
  },
)

t.test('a thread that is idle for too long ends, and the next task gets a new one', async (t) => {
  const { workers, task } = await startPool(t, 1, 1)
  const threadsNow = () => readdirSync('/proc/self/task').length
  const before = threadsNow()
  for (let round = 0; round < 2; round++) {
    t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt'])
    while (threadsNow() > before) await new Promise((again) => setTimeout(again, 5))
  }
})

t.test(
  'closing the pool rejects running, waiting and further tasks, and starts no thread for them',
  async (t) => {
    const { workers, task } = await startPool(t)
    const runs = Array.from({ length: 3 }, () => workers.run(task('d'), how))
    const ended = Promise.allSettled(runs)
    await workers.close()
    for (const run of await ended) t.match(run, { status: 'rejected', reason: { message: /ended/ } })
    t.notOk(workers.prepare())
    await t.rejects(workers.run(task('d'), how), { message: /ended/ })
    await workers.close()
  },
)

/** Runs a program in a process of its own. Returns the exit code and the output. */
async function outcomeOf(t: Test, root: string, program: string): Promise<[code: number, output: string]> {
  await writeFile(join(root, 'main.mjs'), program)
  const child = spawn(process.execPath, [join(root, 'main.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  killAfter(t, child)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  return [code, output]
}

t.test('the process lives until a pool is closed, also if a task ends meanwhile', async (t) => {
  const { root, task } = await startPool(t)
  // The thread answers while the main thread does not look.
  const program = `
    const { createWorkerPool } = await import(${JSON.stringify(new URL('./worker-pool.ts', import.meta.url).href)})
    const pool = createWorkerPool('list', { threads: 1 })
    const run = () => pool.run(${JSON.stringify(task('d'))}, { recheck() {} })
    await run()
    run().catch(() => {})
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    await pool.close()
    console.log('closed')`
  t.strictSame(await outcomeOf(t, root, program), [0, 'closed\n'])
})

t.test('the process exits when its threads are idle, but not while a task runs', async (t) => {
  const { root, task } = await startPool(t)
  const program = `
    const { createWorkerPool } = await import(${JSON.stringify(new URL('./worker-pool.ts', import.meta.url).href)})
    const result = await createWorkerPool('list', { threads: 1 }).run(${JSON.stringify(task('d'))}, { recheck() {} })
    console.log(result.numFiles)`
  t.strictSame(await outcomeOf(t, root, program), [0, '1\n'])
})

t.test('a thread does not run a waiting task whose recheck fails', async (t) => {
  const { workers, task } = await startPool(t)
  let isRevoked = false
  const recheck = () => {
    if (isRevoked) throw new Error('gone')
  }
  const started = workers.run(task('d'), { recheck })
  const waiting = Promise.allSettled([1, 2, 3].map(() => workers.run(task('d'), { recheck })))
  isRevoked = true
  t.strictSame(namesOf(await started), ['a b#?.txt'])
  for (const one of await waiting) t.match(one, { status: 'rejected', reason: { message: 'gone' } })
  t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt'], 'the thread continues')
})
