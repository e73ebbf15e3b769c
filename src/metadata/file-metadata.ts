import type { FileHandle } from 'node:fs/promises'
import type { FileMetadata } from '#contract/metadata.ts'
import type { Principal } from '#src/access/principal.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import { stateKey } from '#src/files/metadata/state-key.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { nameOf } from '#src/files/paths/user-path.ts'
import { openHeld } from '#src/files/reading/readable-file.ts'
import { isFaultOfFile, type MetadataReaders } from './batches.ts'
import type { MetadataRequest, MetadataTools } from './metadata-tools.ts'

// A file takes some milliseconds. One that takes longer is made to do so.
const processorMs = 3000
const timeoutMs = 30_000
// Each waiting request keeps a file open.
const limits = { all: 4, each: 2, waitingEach: 100, waitingAll: 400, maxWaitMs: 60_000 }

/** Returns a function that returns everything that is known about one file. */
export function createFileReader({ readers, cache, owners }: MetadataTools) {
  const permits = createSemaphore('metadata', limits)

  return async (
    person: Principal,
    held: OpenPath,
    { recheck, signal }: MetadataRequest,
  ): Promise<FileMetadata> => {
    const { stats, spelled } = held
    const open = await openHeld(held)
    try {
      using _permit = await permits.acquire(person.quotaOwner.key, { recheck, signal })
      const key = stateKey(stats)
      const { isRead: _, ...known } = (await cache.find([key])).get(key) ?? { isRead: false }
      const fields = await readFields(readers, open, { size: stats.size, name: nameOf(spelled), recheck })
      const owner = (await owners.nameOf())?.(stats.uid)
      return { ...known, ...fields, ...(owner !== undefined && { owner }) }
    } finally {
      // Not before the thread has finished: the number of a closed descriptor may be reused for another file.
      await open.close()
    }
  }
}

/** @returns no fields for a file whose header takes too much time or memory. */
async function readFields(
  readers: MetadataReaders,
  { fd }: FileHandle,
  { size, name, recheck }: { size: number; name: string; recheck: Recheck },
): Promise<FileMetadata> {
  const signal = AbortSignal.timeout(timeoutMs)
  const task = { kind: 'file', fd, size, name } as const
  const result = await readers.run(task, { recheck, signal, processorMs }).catch((error: unknown) => {
    if (!isFaultOfFile(error)) throw new Problem('server.busy', {}, { cause: error })
    return undefined
  })
  return result?.fields ?? {}
}
