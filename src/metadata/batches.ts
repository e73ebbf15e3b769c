import { Problem, type Recheck } from '#src/core/problem.ts'
import { ProcessorTimeExceeded } from '#src/core/threads/processor-limit.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import type { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import type { ShownFolder } from '#src/files/listing/list-task.ts'
import type { FoundMetadata } from '#src/files/metadata/read-batch.ts'
import type { PictureMetadata } from '#src/files/metadata/read-file.ts'
import type { MetadataResult, MetadataTask } from '#src/files/metadata/tasks.ts'

/** The threads that read metadata. */
export type MetadataReaders = ReturnType<typeof createWorkerPool<MetadataTask, MetadataResult, FoundMetadata>>

/** They end when they are idle. Strings and directories of a file are small: most need far less memory. */
export const readerLimits = { idleMs: 10_000, heapMb: 192 } as const

/** Few enough that a slow disk reads them within the time of a request. */
const perBatch = 32
// A picture takes less than a millisecond. A file that takes longer is made to do so.
const batchProcessorMs = 1500
const batchTimeoutMs = 20_000

/** A picture to read. */
export interface Picture {
  name: string
  /** The key of the state that the listing saw. */
  key: string
}

/** A picture that was read. `key` is that of the state that was read; undefined: nothing can be stored. */
export interface ReadPicture {
  name: string
  key: string | undefined
  fields: PictureMetadata
}

/**
 * Reads pictures of a folder in batches, on both threads, until the time is over: at least one batch. A picture whose
 * header takes too much time or memory counts as read, without fields. Later requests skip it.
 *
 * @throws Problem `server.busy`; what `recheck` throws.
 */
export async function readPictures(
  readers: MetadataReaders,
  folder: ShownFolder,
  { pictures, isOver, recheck }: { pictures: readonly Picture[]; isOver: () => boolean; recheck: Recheck },
): Promise<ReadPicture[]> {
  const read: ReadPicture[] = []
  let next = 0
  const readSome = async () => {
    do {
      const batch = pictures.slice(next, next + perBatch)
      next += batch.length
      if (batch.length > 0) read.push(...(await readBatch(readers, folder, batch, recheck)))
    } while (next < pictures.length && !isOver())
  }
  await Promise.all(Array.from({ length: threads.metadata }, readSome))
  return read
}

async function readBatch(
  readers: MetadataReaders,
  folder: ShownFolder,
  batch: readonly Picture[],
  recheck: Recheck,
): Promise<ReadPicture[]> {
  const read: ReadPicture[] = []
  const progress = new SharedArrayBuffer(4)
  const onPart = ({ at, key, fields }: FoundMetadata) => {
    const picture = batch[at]
    if (picture) read.push({ name: picture.name, key, fields })
  }
  const task = { kind: 'batch', folder, names: batch.map(({ name }) => name), progress } as const
  const signal = AbortSignal.timeout(batchTimeoutMs)
  await readers
    .run(task, { recheck, onPart, signal, processorMs: batchProcessorMs })
    .catch((error: unknown) => {
      const culprit = batch[Atomics.load(new Int32Array(progress), 0)]
      if (!culprit) throw error
      // The disk may be slow only now: a later request reads the picture again.
      const key = isFaultOfFile(error) ? culprit.key : undefined
      read.push({ name: culprit.name, key, fields: {} })
    })
  return read
}

/**
 * Whether a task ended because of its file. False: the disk did not answer in time.
 *
 * @throws Problem `server.busy`; any other error.
 */
export function isFaultOfFile(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown }
  if (error instanceof ProcessorTimeExceeded || code === 'ERR_WORKER_OUT_OF_MEMORY') return true
  if (name === 'TimeoutError') return false
  throw code === 'ERR_WORKER_INIT_FAILED' ? new Problem('server.busy', {}, { cause: error }) : error
}
