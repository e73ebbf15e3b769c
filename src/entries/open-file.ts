import type { EventEmitter } from 'node:events'
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { recheckOf, type Verb } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import type { Recheck } from '#src/core/recheck.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { openReadable, type ReadableFile } from '#src/files/reading/readable-file.ts'
import { acquireDescriptors, type WaitOptions } from './descriptors.ts'

/** A file that is open for reading. */
export interface OpenFile {
  file: ReadableFile
  stats: Stats
  name: string
  etag: string
  /** Checks that the user or visitor who opened the file may still read it. */
  recheck: Recheck
}

/**
 * Opens a file for reading when descriptors are free. Closing the file releases them.
 *
 * @param options.verb what the user must be allowed to do, again after waiting; by default `read`
 */
export async function openFile(
  files: PartitionedSemaphore,
  actor: Principal,
  { path, signal, verb = 'read' }: { path: UserPath; verb?: Verb } & WaitOptions,
): Promise<OpenFile> {
  const permit = await acquireDescriptors(files, actor, { kind: 'read', verb, paths: [path], signal })
  try {
    await using held = await openPath(await actor.jail(), path)
    const file = await openReadable(held, () => permit[Symbol.dispose]())
    const { stats, spelled, folds } = held
    const recheck = recheckOf(actor, verb, [spelled, held.path], folds)
    return { file, stats, name: nameOf(spelled), etag: etagOf(stats), recheck }
  } catch (error) {
    permit[Symbol.dispose]()
    throw error
  }
}

/**
 * Calls `ended` once, when the file is closed. A FileHandle is an event emitter (`node:fs`, class FileHandle, event
 * `close`), but its types do not say so.
 */
export function onClose(file: FileHandle, ended: () => void): void {
  ;(file as unknown as EventEmitter).once('close', ended)
}
