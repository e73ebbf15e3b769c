import { closeSync, constants, fstatSync } from 'node:fs'
import { openTarget, type Reach } from '#src/files/jail/link-target.ts'
import { isOwnFile } from '#src/files/jail/open-descriptor.ts'
import type { ShownFolder } from '#src/files/listing/list-task.ts'
import { openSync } from '#src/files/paths/disk.ts'
import { reachOf } from './list-entries.ts'
import { type PictureMetadata, readPictureFields } from './read-file.ts'
import { stateKey } from './state-key.ts'

/** Some pictures of a folder that a thread reads. */
export interface BatchTask {
  folder: ShownFolder
  names: readonly string[]
  /** The index of the picture that the thread is reading, so that it is known if the thread dies. */
  progress: SharedArrayBuffer
}

/** What was found in the picture with the index `at`. */
export interface FoundMetadata {
  at: number
  /** The key of the state that was read; undefined: the file is gone, or cannot be read. */
  key: string | undefined
  fields: PictureMetadata
}

/** Reads the headers of some pictures, and sends each result. A file that is damaged or was removed has no fields. */
export async function readBatch(
  { folder, names, progress }: BatchTask,
  send: (found: FoundMetadata) => void,
): Promise<void> {
  const reach = reachOf(folder)
  const current = new Int32Array(progress)
  for (const [at, name] of names.entries()) {
    Atomics.store(current, 0, at)
    send({ at, ...(await readOne(folder, name, reach)) })
  }
}

async function readOne(
  folder: ShownFolder,
  name: string,
  reach: Reach,
): Promise<Pick<FoundMetadata, 'key' | 'fields'>> {
  let fd: number | undefined
  let key: string | undefined
  try {
    fd = openShown(`${folder.address}/${name}`, reach)
    if (fd === undefined) return { key, fields: {} }
    const stats = fstatSync(fd)
    if (!stats.isFile() || isOwnFile(stats, reach.secret)) return { key, fields: {} }
    key = stateKey(stats)
    return { key, fields: await readPictureFields({ fd, size: stats.size, name }) }
  } catch {
    return { key, fields: {} } // unreadable, removed, or a fault of its disk
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

// O_NONBLOCK: the file may have been replaced by a pipe in the meantime. Never blocks on it.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants

/** Opens a name in a folder. Follows a symbolic link only if the user may read its target. */
function openShown(address: string, reach: Reach): number | undefined {
  if (O_NOFOLLOW === 0) return openTarget(address, reach)
  try {
    return openSync(address, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  } catch (error) {
    // Linux says ELOOP for a symbolic link, FreeBSD EMLINK.
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'EMLINK') return openTarget(address, reach)
    throw error
  }
}
