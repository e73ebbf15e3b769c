import type { FileMetadata, MetadataField } from '#contract/metadata.ts'
import { authorize, recheckWaiting } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { acquireDescriptors, type WaitOptions } from '#src/entries/open.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { NormalizedPath } from '#src/files/paths/user-path.ts'
import type { MemoryBudget } from '#src/files/space/memory-budget.ts'
import { createFileReader } from './file-metadata.ts'
import { createFolderReader } from './folder-metadata.ts'
import type { MetadataTools } from './metadata-tools.ts'

/** Reads what files say about themselves. Needs the permission to read them, because it is part of their content. */
export function createMetadata({ files, ...tools }: MetadataTools & { files: PartitionedSemaphore }) {
  const readFolder = createFolderReader(tools)
  const readFile = createFileReader(tools)

  return {
    /**
     * Returns what is known about the entries of a folder, as the JSON of a `FolderMetadata`, or everything about one
     * file. A request for a folder reads files for two seconds, and at least a few of them.
     *
     * @throws Problem as `openPath` and `room` do, `path.special`, `user.busy`, `server.busy`.
     */
    async view(
      person: Principal,
      typed: NormalizedPath,
      { fields, room, signal }: { fields: readonly MetadataField[]; room: MemoryBudget } & WaitOptions,
    ): Promise<Buffer | FileMetadata> {
      authorize(person, 'read')
      const { path } = typed
      const reading = { kind: 'read', verb: 'read', paths: [path], signal } as const
      using _files = await acquireDescriptors(files, person, reading)
      await using held = await openPath(await person.jail(), path)
      const recheck = recheckWaiting(person, 'read', [held.spelled, held.path])
      const request = { typed, fields, recheck, signal }
      const read = held.stats.isDirectory() ? readFolder : readFile
      const found = await read(person, held, request)
      // The request may have waited. The user may have lost access meanwhile.
      recheck()
      if (Buffer.isBuffer(found)) room.listing(found.length)
      return found
    },
  }
}
