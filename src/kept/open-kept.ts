import { recheckOf } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { errnoOf, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { acquireDescriptors, type OpenFile, onClose, type WaitOptions } from '#src/entries/open.ts'
import { isOwnFile } from '#src/files/jail/open-descriptor.ts'
import type { Place } from '#src/files/kept/places.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'

/**
 * Opens the content of a kept file for reading when descriptors are free. Closing the file releases them.
 *
 * @param item.path where the file is or was, in the scope of the reader
 * @throws Problem `kept.unknown`, `path.folder`, `path.special`.
 */
export async function openKept(
  { files, actor, signal }: { files: PartitionedSemaphore; actor: Principal } & WaitOptions,
  { place, id, path, jail }: { place: Place; id: string; path: UserPath; jail: Pick<Jail, 'secret'> },
): Promise<OpenFile> {
  const permit = await acquireDescriptors(files, actor, { kind: 'read', verb: 'read', paths: [path], signal })
  try {
    const file = await place.open(id).catch((error: unknown) => {
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
