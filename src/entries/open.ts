import type { EventEmitter } from 'node:events'
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { recheckOf, recheckWaiting, type Verb } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { errnoOf, onPath, Problem, type Recheck } from '#src/core/problem.ts'
import { maxArchiveDescriptors } from '#src/files/archive/archiver.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { isOwnFile } from '#src/files/jail/open-descriptor.ts'
import type { KeptStore } from '#src/files/kept/kept-stores.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { openReadable, type ReadableFile } from '#src/files/reading/readable-file.ts'

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

/**
 * Opens the content of a kept file for reading when descriptors are free. Closing the file releases them.
 *
 * @param item.path where the file is or was, in the scope of the reader
 * @throws Problem `kept.unknown`, `path.folder`, `path.special`.
 */
export async function openKept(
  { files, actor, signal }: { files: PartitionedSemaphore; actor: Principal } & WaitOptions,
  { store, id, path, jail }: { store: KeptStore; id: string; path: UserPath; jail: Pick<Jail, 'secret'> },
): Promise<OpenFile> {
  const permit = await acquireDescriptors(files, actor, { kind: 'read', verb: 'read', paths: [path], signal })
  try {
    const file = await store.open(id).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') throw new Problem('kept.unknown')
      // A symbolic link is never followed.
      if (errnoOf(error) === 'ELOOP') throw new Problem('path.special', { path })
      return onPath(path)(error)
    })
    const stats = await file.stat()
    if (!stats.isFile()) {
      await file.close()
      throw new Problem(stats.isDirectory() ? 'path.folder' : 'path.special', { path })
    }
    if (isOwnFile(stats, jail.secret)) {
      await file.close()
      throw new Problem('kept.unknown')
    }
    onClose(file, () => permit[Symbol.dispose]())
    const recheck = recheckOf(actor, 'read', [path])
    return { file, stats, name: nameOf(path), etag: etagOf(stats), recheck }
  } catch (error) {
    permit[Symbol.dispose]()
    throw error
  }
}
