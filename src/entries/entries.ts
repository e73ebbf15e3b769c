import type { Stats } from 'node:fs'
import type { FileView, Listing } from '#contract/resources.ts'
import { authorize, denialOf } from '#src/access/authorize.ts'
import type { FileModes } from '#src/access/modes.ts'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import type { NormalizedPath, UserPath } from '#src/files/paths/user-path.ts'
import { readText } from '#src/files/reading/read-text.ts'
import type { MemoryBudget } from '#src/files/space/memory-budget.ts'
import { makeFolder } from '#src/files/writing/make.ts'
import type { FreeNames } from './free-names.ts'
import { commonFieldsOf, entriesOf, type ListingEncoder, type Listings } from './list.ts'
import { createNumberedUpload } from './numbered.ts'
import { acquireDescriptors, type OpenFile, openFile, type WaitOptions } from './open.ts'
import { createRotate } from './rotate.ts'
import { createTransfers, type TransferOptions } from './transfers.ts'
import { createWriter, type Upload, type WriterOptions } from './write.ts'

/** Creates the functions that read and change files in the name of a user or a visitor. They know no protocol. */
export function createEntries(options: EntriesOptions) {
  const { modes, listings, files } = options
  const write = createWriter(options)

  /** Opens an entry that the user may see. The work uses its name as the disk spells it. */
  async function look<T>(
    actor: Principal,
    path: UserPath,
    { signal }: WaitOptions,
    work: (held: OpenPath) => Promise<T>,
  ): Promise<T> {
    authorize(actor, 'look')
    const looking = { kind: 'read', verb: 'look', paths: [path], signal } as const
    using _files = await acquireDescriptors(files, actor, looking)
    await using held = await openPath(await actor.jail(), path)
    return await work(held)
  }

  return {
    ...createTransfers(options),

    /**
     * Returns a folder as `encode` writes it, or a file as a `FileView` together with its stats.
     *
     * @param how.language the language whose sort order is used
     * @param how.signal aborts when the client disconnects
     * @throws Problem as `openPath` and `room` do, `user.busy`, `server.busy`.
     */
    async view<T>(
      actor: Principal,
      typed: NormalizedPath,
      { room, ...how }: ViewOptions<T>,
    ): Promise<{ listing: T; stats?: undefined } | { body: FileView; stats: Stats }> {
      return look(actor, typed.path, how, async (held) => {
        const { spelled: path, stats } = held
        if (!stats.isDirectory()) return { body: await viewOf(actor, held, { path, room }), stats }
        return { listing: await listings.list(actor, held, { ...how, typed: { ...typed, path } }) }
      })
    },

    /**
     * Yields the entries of a folder, in the order that the user chose: the first ones of a large folder while the others
     * are read.
     *
     * @throws Problem `path.file`, and as `view` does.
     */
    list(actor: Principal, path: UserPath, how: ListOptions): AsyncIterable<Listing['items']> {
      return entriesOf((encode) =>
        look(actor, path, how, async (held) => {
          if (!held.stats.isDirectory()) throw new Problem('path.file', { path })
          return listings.list(actor, held, { ...how, typed: { path: held.spelled, asFolder: true }, encode })
        }),
      )
    },

    /** Describes a file or a folder. @throws Problem as `openPath` does, `user.busy`, `server.busy`. */
    stat(actor: Principal, path: UserPath, how: WaitOptions) {
      return look(actor, path, how, (held) => commonFieldsOf(held, held.spelled, actor))
    },

    /**
     * Opens a file for reading, or for a preview of it. The caller closes it. @throws Problem `path.folder`, `path.special`, `server.busy`.
     */
    async open(actor: Principal, { path }: NormalizedPath, options: OpenOptions): Promise<OpenFile> {
      authorize(actor, options.verb ?? 'read')
      return openFile(files, actor, { path, ...options })
    },

    /**
     * Creates a folder and all missing folders above it. The signal stops it.
     *
     * @throws Problem `path.exists` if a file is in the way, `path.deep`.
     */
    async makeFolder(actor: Principal, path: UserPath, { signal }: { signal: AbortSignal }): Promise<void> {
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

    uploadNumbered: createNumberedUpload(options.freeNames, write),

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

/** What work on files needs. */
interface EntriesOptions extends TransferOptions, WriterOptions {
  modes: () => FileModes
  listings: Listings
  freeNames: FreeNames
}

interface ListOptions extends WaitOptions {
  /** The language whose sort order is used. */
  language: string
}

interface OpenOptions extends WaitOptions {
  /** `preview`: only to make a smaller picture of it. */
  verb?: 'read' | 'preview'
}

interface ViewOptions<T> extends ListOptions {
  room: Pick<MemoryBudget, 'text'>
  encode: ListingEncoder<T>
}

export type Entries = ReturnType<typeof createEntries>

/**
 * Describes an open file, and includes its text if it is a text that the user may download or edit. @throws the
 * errors of `room` for a large text.
 */
async function viewOf(
  actor: Principal,
  file: OpenPath,
  { path, room }: { path: UserPath; room: Pick<MemoryBudget, 'text'> },
): Promise<FileView> {
  const { type, content } = await readText(file, (bytes) => room.text(bytes, [path, file.path]))
  const facts = await commonFieldsOf(file, path, actor)
  if (type !== 'text') return { kind: 'preview', ...facts, type }
  const mayRead = denialOf(actor, 'text') === undefined
  return {
    kind: 'editor',
    ...facts,
    type: denialOf(actor, 'save') ? 'textImmutable' : 'text',
    ...(content && mayRead && { content }),
  }
}

function folderAsTaken(error: unknown): never {
  const isFolder = error instanceof Problem && error.code === 'path.folder'
  throw isFolder ? new Problem('path.exists', error.details, { cause: error }) : error
}
