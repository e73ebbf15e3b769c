import type { Person } from '#src/auth/actor.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import { archiveDescriptors } from '#src/files/archive/archiver.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { recheckWaiting, type Verb } from './resources.policy.ts'

/** How many descriptors each kind of work holds at once, at most. */
const needs = {
  // What is read, and its folder.
  read: 2,
  // The folder, the part, the file that is there, and what is flushed.
  write: 4,
  // Two folders, what is copied and its link, and what is flushed. Trees are walked by threads, which the reserve is for.
  transfer: 6,
  archive: archiveDescriptors,
  // The folder where it begins.
  walk: 1,
} as const

/** Waits, where that is asked for, until the client leaves. */
export interface Leaving {
  /** Makes a signal that aborts when the client leaves; called only when there is something to wait for. */
  signal: () => AbortSignal
}

/**
 * Waits until there are descriptors for a kind of work, and keeps them for it until the result is disposed of. Called
 * before anything is opened.
 *
 * @throws Problem `user.busy`, `server.busy`; the signal's reason; after a wait, what the call is refused with by then.
 */
export function enterFiles(
  files: PartitionedSemaphore,
  person: Person,
  asked: { kind: keyof typeof needs; verb: Verb; paths: readonly UserPath[] } & Partial<Leaving>,
): Promise<Disposable> {
  const { kind, verb, paths, signal } = asked
  return files.acquire(person.payer, {
    size: needs[kind],
    recheck: recheckWaiting(person, verb, paths),
    ...(signal && { signal }),
  })
}
