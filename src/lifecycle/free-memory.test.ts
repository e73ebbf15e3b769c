import { readFileSync } from 'node:fs'
import t from 'tap'
import { lazyLibc } from '#src/core/libc.ts'
import { until } from '#src/testing/wire.ts'
import { returnFreeMemory } from './free-memory.ts'

const libc = lazyLibc({
  malloc: { arguments: ['uint64'], return: 'pointer' },
  free: { arguments: ['pointer'], return: 'void' },
  memset: { arguments: ['pointer', 'int32', 'uint64'], return: 'pointer' },
  malloc_trim: { arguments: ['uint64'], return: 'int32' },
})()

/** Memory of this process that no file backs, in KiB. */
const usedKiB = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])

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
