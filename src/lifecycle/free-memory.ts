import { performance } from 'node:perf_hooks'
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lazyLibc } from '#src/core/libc.ts'

/** A start is complete by then, and has left about 7 MB of free memory in the allocator. */
const firstMs = 1000
/** A server that is busy for a larger part of its time needs its memory, and a call could delay a response. */
const idleShare = 0.1
/** A server that is always busy returns memory too, but every two minutes. Otherwise it would grow for hours. */
const mostBusyTimes = 12
/** The heap is collected when it has grown by this since the last time. */
const grownBytes = 4 * 1024 * 1024

// mallopt(3): M_ARENA_MAX.
const arenaMax = -8
const arenas = 4

// malloc_trim(3). It takes 1 ms after a start, and 10 to 50 ms after large transfers. musl has no such function and
// returns free memory itself.
const load = lazyLibc({
  malloc_trim: { arguments: ['uint64'], return: 'int32' },
  mallopt: { arguments: ['int32', 'int32'], return: 'int32' },
})

/**
 * Limits the arenas of the allocator, for all threads that start later. By default each thread of glibc has one of its
 * own with free memory in it: a busy server with 30 threads kept 330 MB in 17 arenas. With two arenas, or when large
 * blocks return at once, archives take 10 to 20 % longer.
 */
export function limitArenas(): void {
  load()?.mallopt(arenaMax, arenas)
}

/**
 * Returns free memory to the system: after the start, and every 10 s while the server has little to do, otherwise every
 * two minutes. Without this, glibc keeps a large part of what transfers and threads have needed, and V8 keeps garbage
 * until it needs the space.
 *
 * @returns a function that ends this
 */
export function returnFreeMemory(everyMs = 10_000): () => void {
  const trim = () => void load()?.malloc_trim(0n)
  const collect = collectorOf(v8.getHeapStatistics().total_heap_size)
  let before = performance.eventLoopUtilization()
  let busyTimes = 0
  const trimIfIdle = () => {
    const now = performance.eventLoopUtilization()
    const isIdle = performance.eventLoopUtilization(now, before).utilization < idleShare
    before = now
    if (!isIdle && ++busyTimes < mostBusyTimes) return
    busyTimes = 0
    if (isIdle) collect()
    trim()
  }
  const first = setTimeout(trim, firstMs).unref()
  const timer = setInterval(trimIfIdle, everyMs).unref()
  return () => {
    clearTimeout(first)
    clearInterval(timer)
  }
}

/** Returns a function that collects the garbage if the heap has grown since the last time, which takes about 20 ms. */
function collectorOf(startBytes: number): () => void {
  let [lastBytes, gc]: [number, (() => void) | undefined] = [startBytes, undefined]
  return () => {
    if (v8.getHeapStatistics().total_heap_size < lastBytes + grownBytes) return
    gc ??= findCollector()
    gc()
    lastBytes = v8.getHeapStatistics().total_heap_size
  }
}

/** V8 gives this function to contexts that are created while the flag is set. */
function findCollector(): () => void {
  v8.setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  v8.setFlagsFromString('--no-expose-gc')
  return gc
}
