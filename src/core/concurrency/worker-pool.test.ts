import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { unconditional } from '#src/core/recheck.ts'
import { openJail } from '#src/files/jail/jail.ts'
import type { ListResult, ListTask } from '#src/files/listing/list-folder.ts'
import { rootPath } from '#src/files/paths/user-path.ts'
import { createWorkerPool } from './worker-pool.ts'

const how = { recheck: unconditional }

async function reading(t: Test, threads = 1, idleMs?: number) {
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
  JSON.parse(Buffer.from(items).toString()).map(({ name }: { name: string }) => name)

t.test('a thread answers many tasks, each with its own result', async (t) => {
  const { root, workers, task } = await reading(t, 2)
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, n) => workers.run(task(n % 2 ? 'd' : ''), how)),
  )
  results.forEach((result, n) => {
    t.strictSame(namesOf(result), n % 2 ? ['a b#?.txt'] : ['d'])
  })
  await writeFile(join(root, 'd', 'later'), '')
  t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt', 'later'])
})

t.test("a failed task tells the system's error, and the thread goes on", async (t) => {
  const { workers, task } = await reading(t)
  await t.rejects(workers.run(task('none'), how), { code: 'ENOENT' })
  t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt'])
})

t.test('a task that is called off stops its thread, and the next one gets another', async (t) => {
  const { workers, task } = await reading(t)
  const calling = new AbortController()
  const { signal } = calling
  const runs = Promise.allSettled([
    workers.run(task('d'), { ...how, signal }),
    workers.run(task('d'), { ...how, signal }),
  ])
  calling.abort(new Error('the reader left'))
  for (const run of await runs) t.match(run, { status: 'rejected', reason: { message: 'the reader left' } })
  await t.rejects(workers.run(task('d'), { ...how, signal }), { message: 'the reader left' })
  t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt'])
})

t.test('a task that waits can be taken back, and one that has begun is done to its end', async (t) => {
  const { workers, task } = await reading(t)
  const calling = new AbortController()
  const untilBegun = calling.signal
  const [begun, waiting] = [
    workers.run(task('d'), { ...how, untilBegun }),
    workers.run(task('d'), { ...how, untilBegun }),
  ]
  calling.abort(new Error('the reader left'))
  await t.rejects(waiting, { message: 'the reader left' })
  t.strictSame(namesOf(await begun), ['a b#?.txt'])
  await t.rejects(workers.run(task('d'), { ...how, untilBegun }), { message: 'the reader left' })
})

t.test('a thread that has been idle for long enough ends, and the next task gets another', async (t) => {
  const { workers, task } = await reading(t, 1, 1)
  const threadsNow = () => readdirSync('/proc/self/task').length
  const before = threadsNow()
  for (let round = 0; round < 2; round++) {
    t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt'])
    while (threadsNow() > before) await new Promise((again) => setTimeout(again, 5))
  }
})

t.test('closing ends what is under way and what waits', async (t) => {
  const { workers, task } = await reading(t)
  const runs = Array.from({ length: 3 }, () => workers.run(task('d'), how))
  const ended = Promise.allSettled(runs)
  await workers.close()
  for (const run of await ended) t.match(run, { status: 'rejected', reason: { message: /ended/ } })
  await workers.close()
})

t.test('a program ends though its threads are idle, and not while it waits for one', async (t) => {
  const { root, task } = await reading(t)
  const program = `
    const { createWorkerPool } = await import(${JSON.stringify(new URL('./worker-pool.ts', import.meta.url).href)})
    const result = await createWorkerPool('list', { threads: 1 }).run(${JSON.stringify(task('d'))}, { recheck() {} })
    console.log(result.numFiles)`
  await writeFile(join(root, 'main.mjs'), program)
  const child = spawn(process.execPath, [join(root, 'main.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  t.strictSame([code, said], [0, '1\n'])
})

t.test('a task that waits for a thread is not done when its right has gone meanwhile', async (t) => {
  const { workers, task } = await reading(t)
  let isGone = false
  const recheck = () => {
    if (isGone) throw new Error('gone')
  }
  const begun = workers.run(task('d'), { recheck })
  const waiting = Promise.allSettled([1, 2, 3].map(() => workers.run(task('d'), { recheck })))
  isGone = true
  t.strictSame(namesOf(await begun), ['a b#?.txt'])
  for (const one of await waiting) t.match(one, { status: 'rejected', reason: { message: 'gone' } })
  t.strictSame(namesOf(await workers.run(task('d'), how)), ['a b#?.txt'], 'the thread goes on')
})
