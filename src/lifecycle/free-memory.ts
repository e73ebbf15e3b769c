import { performance } from 'node:perf_hooks'
import { lazyLibc } from '#src/core/libc.ts'

/** A start is complete by then, and has left about 7 MB of free memory in the allocator. */
const firstMs = 1000
const everyMs = 60_000
/** A server that is busy for a larger part of its time needs its memory, and a call could delay a response. */
const idleShare = 0.1

// malloc_trim(3). It takes 1 ms after a start, and 10 to 50 ms after large transfers. musl has no such function and
// returns free memory itself.
const load = lazyLibc({ malloc_trim: { arguments: ['uint64'], return: 'int32' } })

/**
 * Returns free memory of the allocator to the system: after the start, and once a minute while the server has little to
 * do. Without this, glibc keeps a large part of what transfers and threads have needed.
 *
 * @returns a function that ends this
 */
export function returnFreeMemory(): () => void {
  const trim = () => void load()?.malloc_trim(0n)
  let before = performance.eventLoopUtilization()
  const trimIfIdle = () => {
    const now = performance.eventLoopUtilization()
    if (performance.eventLoopUtilization(now, before).utilization < idleShare) trim()
    before = now
  }
  const first = setTimeout(trim, firstMs).unref()
  const timer = setInterval(trimIfIdle, everyMs).unref()
  return () => {
    clearTimeout(first)
    clearInterval(timer)
  }
}
