import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { createLog } from '#src/core/log/log.ts'
import { unconditional } from '#src/core/problem.ts'
import { openDatabase } from './database.ts'
import { createScans, type ScanOwner } from './scans.ts'

/** A database, and scans in it, until the test ends. */
async function open(t: Test, folder = t.testdir()) {
  const database = openDatabase(join(folder, 'history.db'), {
    log: createLog({ target: '', format: 'text' }),
  })
  await database.opened
  t.teardown(() => database.close())
  const turns = createSemaphore('lists', { each: 1, all: Number.POSITIVE_INFINITY, waitingEach: 2 })
  return { database, turns, scans: createScans(database, turns) }
}

const by = (owner: string, signal = new AbortController().signal): ScanOwner => {
  return { owner, recheck: unconditional, signal }
}

const insert = (id: string) => ({
  sql: 'INSERT INTO steps (operation, n, step) VALUES (?, 1, ?)',
  values: [id, ''],
})
const count = 'SELECT count(*) AS n FROM steps'
const upTo = (n: number) =>
  `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${n}) SELECT count(*) AS n FROM n`

t.test('a write does not wait for a scan', async (t) => {
  const { database, scans } = await open(t)
  // The scan must be longer than a write on this machine.
  for (let n = 1_000_000; n < 100_000_000; n *= 4) {
    const first = await scans.run(by('ann'), async ({ read }) => {
      await read(count)
      const scan = read(upTo(n)).then(() => 'the scan')
      const write = database.write([insert(`w${n}`)]).then(() => 'the write')
      const ended = await Promise.race([scan, write])
      await Promise.all([scan, write])
      return ended
    })
    if (first === 'the write') return void t.pass('the write ended first')
  }
  t.fail('each write has waited for a scan')
})

t.test('a scan sees what was written before, also what was not urgent', async (t) => {
  const { database, scans } = await open(t)
  const read = () => scans.run(by('ann'), (scan) => scan.read<{ n: number }>(count))
  t.strictSame(await read(), [{ n: 0 }])
  await database.write([insert('a')])
  t.strictSame(await read(), [{ n: 1 }])
  void database.writeLater([insert('b')])
  t.strictSame(await read(), [{ n: 2 }])
})

t.test('one scan of a user runs at a time, and too many are refused', async (t) => {
  const { scans, turns } = await open(t)
  const held = Promise.withResolvers<void>()
  const order: string[] = []
  const scan = (owner: string, name: string, until?: Promise<void>) =>
    scans.run(by(owner), async () => {
      order.push(name)
      await until
    })
  const first = scan('ann', 'first', held.promise)
  const waiting = [scan('ann', 'second'), scan('ann', 'third')]
  await scan('bob', 'another user')
  await t.rejects(scan('ann', 'fourth'), { code: 'user.busy', status: 429 })
  t.equal(turns.waiting, 2)
  held.resolve()
  await Promise.all([first, ...waiting])
  t.strictSame(order, ['first', 'another user', 'second', 'third'])
  await scan('ann', 'again')
})

t.test('a scan stops with its request, while it waits and while it runs', async (t) => {
  const { scans, turns } = await open(t)
  const [running, waiting] = [new AbortController(), new AbortController()]
  let reads = 0
  const first = scans.run(by('ann', running.signal), async (scan) => {
    for (;;) {
      await scan.read(count)
      await scan.pause()
      if (++reads === 3) running.abort(new Error('the client has left'))
    }
  })
  const second = scans.run(by('ann', waiting.signal), async () => void t.fail('it never begins'))
  waiting.abort(new Error('this one too'))
  await t.rejects(second, /this one too/)
  await t.rejects(first, /the client has left/)
  t.equal(reads, 3)
  t.equal(turns.waiting, 0)
  t.strictSame(await scans.run(by('ann'), (scan) => scan.read(count)), [{ n: 0 }], 'its turn has ended')
})

t.test('a scan reports a wrong statement, and the next one works', async (t) => {
  const { scans } = await open(t)
  const wrong = scans.run(by('ann'), (scan) => scan.read('SELECT nothing FROM steps'))
  t.match(await wrong.catch((error: unknown) => error), { errcode: 1 })
  await t.rejects(
    scans.run(by('ann'), (scan) => scan.read('DELETE FROM steps')),
    { code: 'disk.readonly' },
  )
  t.strictSame(await scans.run(by('ann'), (scan) => scan.read(count)), [{ n: 0 }])
})

t.test('where a second connection is impossible, scans use the first', async (t) => {
  const folder = t.testdir()
  // In place of the shared memory of the connections.
  mkdirSync(join(folder, 'history.db-shm'))
  const { database, scans } = await open(t, folder)
  await database.write([insert('a')])
  t.strictSame(await scans.run(by('ann'), (scan) => scan.read(count)), [{ n: 1 }])
  const options = {
    root: '/r',
    scope: '/r',
    rules: [],
    hideDotfiles: false,
    search: '',
    after: undefined,
    most: 1,
  }
  const slice = await scans.run(by('ann'), (scan) =>
    scan.slice({ sql: 'SELECT * FROM kept LIMIT 2000' }, { by: 'trash', options }),
  )
  t.match(slice, { result: { total: 0 }, examined: 0, isLast: true })
  const frozen = await database.freeze()
  frozen[Symbol.dispose]()
})

t.test('a copy of the history waits for the reads that have begun', async (t) => {
  const { database, scans } = await open(t)
  await database.write([insert('a')])
  const began = Promise.withResolvers<void>()
  const ended: string[] = []
  const scanning = scans.run(by('ann'), async ({ read }) => {
    // The count of a table keeps other connections from merging the log.
    const rows = read(
      `WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000000)
       SELECT count(*) FROM c, steps`,
    )
    began.resolve()
    await rows
    ended.push('the read')
  })
  await began.promise
  using _frozen = await database.freeze()
  ended.push('freezing')
  await scanning
  t.strictSame(ended, ['the read', 'freezing'])
})

t.test('a copy of the history can be made while scans run', async (t) => {
  const { database, scans } = await open(t)
  await database.write([insert('a')])
  let isOver = false
  const scanning = scans.run(by('ann'), async (scan) => {
    while (!isOver) await scan.read(upTo(10_000))
  })
  const frozen = await database.freeze()
  const chunks: Uint8Array[] = []
  for await (const chunk of frozen.read()) chunks.push(chunk)
  frozen[Symbol.dispose]()
  isOver = true
  await scanning
  t.match(Buffer.concat(chunks).toString('latin1'), /^SQLite format 3/)
})
