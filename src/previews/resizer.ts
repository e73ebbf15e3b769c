import { errnoOf, Problem, unconditional } from '#src/core/problem.ts'
import { ProcessorTimeExceeded } from '#src/core/threads/processor-limit.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import type { OpenFile } from '#src/entries/open.ts'
import { type MemoryClass, maxProcessorMs } from '#src/files/pictures/budget.ts'
import type { TargetSize } from '#src/files/pictures/formats/pixels.ts'
import type { PictureResult, PictureTask } from '#src/files/pictures/render.ts'

// Idle threads end after this time, which frees the codecs and the memory of the last picture. The heap limit is
// 192 MiB. The heap contains no pixels, so this is far more than needed.
const workerOptions = { idleMs: 10_000, heapMb: 192 } as const
// A thread that hangs is replaced after this time. On a busy machine a working thread may need part of it.
const timeoutMs = 120_000

/** The smaller picture, or the reason why there is none. */
export type Resized = { webp: Uint8Array; placeholder?: Uint8Array | undefined } | { refused: string }

/** The worker threads that create previews: two for light pictures, and one for a heavy picture that ends after it. */
export function createResizer() {
  const workers = {
    light: createWorkerPool<PictureTask, PictureResult>('picture', {
      threads: threads.picture,
      ...workerOptions,
    }),
    heavy: createWorkerPool<PictureTask, PictureResult>('picture', {
      threads: threads.heavyPicture,
      ...workerOptions,
    }),
  }
  let isClosing = false

  /** Converts the failure of a thread: a picture that takes too long or crashes its thread gets a cached refusal. */
  function failed(error: unknown): { refused: string } {
    if (isClosing || isLackOfMemory(error)) throw new Problem('server.busy', {}, { cause: error })
    if (errnoOf(error)) throw error // the disk, not the picture
    return { refused: error instanceof ProcessorTimeExceeded ? 'slow' : 'broken' }
  }

  async function resize(
    { file, stats: { size } }: OpenFile,
    frame: TargetSize,
    weight: MemoryClass,
  ): Promise<Resized> {
    const signal = AbortSignal.timeout(timeoutMs)
    const processorMs = maxProcessorMs(size)
    return workers[weight]
      .run({ fd: file.fd, size, frame, weight }, { recheck: unconditional, signal, processorMs })
      .catch(failed)
  }

  return Object.assign(resize, {
    /** Ends the threads. */
    async close(): Promise<void> {
      isClosing = true
      await Promise.all([workers.light.close(), workers.heavy.close()])
    },
  })
}

/** Whether a thread had no memory or did not start in time. The same picture may succeed later. */
function isLackOfMemory(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return code === 'ENOMEM' || code === 'ERR_WORKER_INIT_FAILED' || name === 'TimeoutError'
}
