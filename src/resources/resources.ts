import type { Stats } from 'node:fs'
import type { FileView } from '#contract/resources.ts'
import { authorize } from '#src/access/authorize.ts'
import type { FileModes } from '#src/access/modes.ts'
import type { Principal } from '#src/access/principal.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { acquireDescriptors, type OpenFile, openFile, type WaitOptions } from '#src/entries/open.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { NormalizedPath, UserPath } from '#src/files/paths/user-path.ts'
import type { MemoryBudget } from '#src/files/space/memory-budget.ts'
import { makeFolder } from '#src/files/writing/make.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import type { Hooks } from '#src/hooks/hooks.ts'
import { languageOf } from '#src/http/request-headers.ts'
import type { CodedBody, ListingOptions, Listings } from './listings.ts'
import { viewOf } from './resource-view.ts'
import { createRotate } from './rotate.ts'
import { createResourceWriter, type Upload } from './write-resource.ts'

/** Lists, reads and writes the files and folders in a user's scope. */
export function createResources(options: {
  modes: () => FileModes
  parts: TempFileJournal
  locks: KeyedLock
  listings: Listings
  files: PartitionedSemaphore
  hooks: Hooks
}) {
  const { modes, listings, files } = options
  const write = createResourceWriter(options)

  return {
    /**
     * Returns a folder as the JSON of a `Listing`, or a file as a `FileView` together with the file.
     *
     * @param accepted an `Accept-Language` header, used for the sort order if the user has chosen no language
     * @param signal aborts when the client disconnects
     * @param codings those that a listing may be compressed with; missing: none
     * @param start receives the beginning of the JSON of a large folder; `body` is then the rest
     * @throws Problem as `openPath` and `room` do, `user.busy`, `server.busy`.
     */
    async view(
      actor: Principal,
      typed: NormalizedPath,
      { accepted, room, signal, start, codings = [] }: ViewOptions,
    ): Promise<(CodedBody & { stats?: undefined }) | { body: FileView; stats: Stats }> {
      authorize(actor, 'look')
      const { path: input } = typed
      using _files = await acquireDescriptors(files, actor, {
        kind: 'read',
        verb: 'look',
        paths: [input],
        signal,
      })
      await using held = await openPath(await actor.jail(), input)
      // From here on, use the name as the disk spells it.
      const { spelled: path, stats } = held
      if (stats.isDirectory()) {
        const language = languageOf(actor.user.locale, accepted)
        const reserve = createReservation(room)
        const listing = await listings.list(actor, held, {
          typed: { ...typed, path },
          language,
          signal,
          codings,
          start(beginning, sizeBytes) {
            reserve(sizeBytes)
            start(beginning)
          },
        })
        reserve(listing.body.length)
        return listing
      }
      return { body: await viewOf(actor, held, { path, room }), stats }
    },

    /**
     * Opens a file for reading. The caller closes it. @throws Problem `path.folder`, `path.special`, `server.busy`.
     */
    async open(actor: Principal, { path }: NormalizedPath, { signal }: WaitOptions): Promise<OpenFile> {
      authorize(actor, 'read')
      return openFile(files, actor, { path, signal })
    },

    /**
     * Creates a folder and all missing folders above it. The signal stops it.
     *
     * @throws Problem `path.exists` if a file is in the way, `path.deep`.
     */
    async makeFolder(actor: Principal, path: UserPath, signal: AbortSignal): Promise<void> {
      authorize(actor, 'create')
      const folder = await makeFolder(await actor.jail(), path, {
        mode: modes().dirMode,
        change: actor.change,
        signal,
      })
      await folder.close()
    },

    /**
     * Creates a file, or replaces one if `override` is set, which needs the permission to modify
     * (contract/compatibility.md#writing-files).
     *
     * @returns the file's etag
     * @throws Problem `path.exists`, also for a folder: a file never replaces a folder.
     */
    async upload(
      actor: Principal,
      path: UserPath,
      { override, ...upload }: Upload & { override: boolean },
    ): Promise<string> {
      authorize(actor, 'create')
      const verbFor = (current: Stats | undefined) => (current && override ? 'replace' : 'create')
      const writing = { ...upload, event: 'upload', overwrite: override, verbFor } as const
      const { etag } = await write(actor, path, writing).catch(folderAsTaken)
      return etag
    },

    /** Saves a file. Creates a missing file, which also needs the permission to create. @returns the file's etag */
    async save(actor: Principal, { path, asFolder }: NormalizedPath, upload: Upload): Promise<string> {
      authorize(actor, 'save')
      if (asFolder) throw new Problem('path.folder', { path })
      const verbFor = (current: Stats | undefined) => (current ? 'save' : 'create')
      const writing = { ...upload, event: 'save', overwrite: true, verbFor } as const
      const { etag } = await write(actor, path, writing)
      return etag
    },

    /** Turns a JPEG without changing its pixels, as a save. */
    rotate: createRotate(files, write),
  }
}

interface ViewOptions extends WaitOptions {
  accepted: string | undefined
  room: MemoryBudget
  codings?: ListingOptions['codings']
  start(beginning: CodedBody): void
}

/** Reserves memory for a listing: first for its estimated size, then for what its real size exceeds that by. */
function createReservation(room: MemoryBudget): (bytes: number) => void {
  let reserved = 0
  return (bytes) => {
    if (bytes <= reserved) return
    room.listing(bytes - reserved)
    reserved = bytes
  }
}

export type Resources = ReturnType<typeof createResources>

function folderAsTaken(error: unknown): never {
  const isFolder = error instanceof Problem && error.code === 'path.folder'
  throw isFolder ? new Problem('path.exists', error.details, { cause: error }) : error
}
