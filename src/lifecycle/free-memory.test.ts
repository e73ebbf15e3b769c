// Needs a process of its own: it measures the memory of the process.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { lazyLibc } from '#src/core/libc.ts'
import { until } from '#src/testing/wire.ts'
import { limitArenas, returnFreeMemory } from './free-memory.ts'

const libc = lazyLibc({
  malloc: { arguments: ['uint64'], return: 'pointer' },
  free: { arguments: ['pointer'], return: 'void' },
  memset: { arguments: ['pointer', 'int32', 'uint64'], return: 'pointer' },
  malloc_trim: { arguments: ['uint64'], return: 'int32' },
})()

/** Memory of this process that no file backs, in KiB. */
const usedKiB = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])

t.test('many threads share a few arenas of the allocator', { skip: !libc }, async (t) => {
  limitArenas()
  const before = arenasNow()
  const threads = Array.from(
    { length: 16 },
    () => new Worker('require("node:worker_threads").parentPort.ref()', { eval: true }),
  )
  t.teardown(() => Promise.all(threads.map((thread) => thread.terminate())))
  await Promise.all(threads.map((thread) => once(thread, 'online')))
  t.ok(arenasNow() <= Math.max(4, before), `${before} arenas, then ${arenasNow()}`)
})

/** The number of arenas besides the main one: each has 64 MiB of addresses, of which the first part is used. */
function arenasNow(): number {
  const maps = readFileSync('/proc/self/maps', 'utf8')
  const ends = [...maps.matchAll(/^([\da-f]+)-([\da-f]+) rw-p 0+ 00:00 0 *\n\2-([\da-f]+) ---p/gm)]
  return ends.filter(
    ([, from, , to]) => Number.parseInt(to ?? '', 16) - Number.parseInt(from ?? '', 16) === 64 * 1024 ** 2,
  ).length
}

t.test(
  'memory that is not needed any more returns to the system',
  { skip: !libc && 'this libc has no malloc_trim' },
  async (t) => {
    if (!libc) return
    const bytes = 64 * 1024
    const blocks = Array.from({ length: 1600 }, () => libc.malloc(BigInt(bytes)))
    for (const block of blocks) libc.memset(block, 1, BigInt(bytes))
    // The last block stays, so that the allocator does not return the others by itself.
    for (const block of blocks.slice(0, -1)) libc.free(block)
    const before = usedKiB()
    t.teardown(returnFreeMemory())
    await until(() => usedKiB() < before - 50 * 1024)
    t.pass('50 of 100 MiB at least')
  },
)

t.test('a server that is always busy returns memory, too', { skip: !libc }, async (t) => {
  if (!libc) return
  const bytes = 64 * 1024
  const blocks = Array.from({ length: 1600 }, () => libc.malloc(BigInt(bytes)))
  for (const block of blocks) libc.memset(block, 1, BigInt(bytes))
  t.teardown(returnFreeMemory(50))
  // Later than after the start.
  await until(() => {
    work(5)
    return performance.eventLoopUtilization().active > 2000
  })
  for (const block of blocks.slice(0, -1)) libc.free(block)
  const before = usedKiB()
  await until(() => {
    work(10)
    return usedKiB() < before - 50 * 1024
  })
  t.pass('50 of 100 MiB at least')
})

/** Keeps the event loop busy. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

t.test('garbage of a busy time is collected once when the server has little to do', async (t) => {
  let forced = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as { detail: { flags: number } }[])
      if (entry.detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) forced++
  })
  observer.observe({ entryTypes: ['gc'] })
  t.teardown(() => observer.disconnect())
  t.teardown(returnFreeMemory(100))
  const texts = Array.from({ length: 400_000 }, (_, n) => `text ${n}`)
  await until(() => forced > 0)
  t.equal(forced, 1)
  t.equal(texts.length, 400_000)
})
