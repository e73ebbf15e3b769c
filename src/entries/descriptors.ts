import { recheckWaiting, type Verb } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import { maxArchiveDescriptors } from '#src/files/archive/archiver.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/** The highest number of descriptors that each operation has open at once. */
const needs = {
  // The file and its folder.
  read: 2,
  // The folder, the temporary file, the existing file, and the file or folder that is flushed.
  write: 4,
  // Two folders, the source and its symbolic link, and the file or folder that is flushed. Worker threads walk trees
  // with descriptors of the reserve.
  transfer: 6,
  archive: maxArchiveDescriptors,
  // The folder where the walk starts.
  walk: 1,
} as const

/** How the wait ends when the client disconnects. */
export interface WaitOptions {
  /** Returns a signal that aborts when the client disconnects. Called only if the request must wait. */
  signal: () => AbortSignal
}

/**
 * Waits until descriptors for an operation are free, and takes them until the result is disposed. Must be called
 * before any file is opened.
 *
 * @throws Problem `user.busy`, `server.busy`; the signal's reason; after a wait, the reason why the request is no
 *   longer allowed.
 */
export function acquireDescriptors(
  files: PartitionedSemaphore,
  person: Principal,
  operation: { kind: keyof typeof needs; verb: Verb; paths: readonly UserPath[] } & Partial<WaitOptions>,
): Promise<Disposable> {
  const { kind, verb, paths, signal } = operation
  return files.acquire(person.quotaOwner, {
    size: needs[kind],
    recheck: recheckWaiting(person, verb, paths),
    ...(signal && { signal }),
  })
}
