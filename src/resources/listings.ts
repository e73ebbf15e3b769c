import type { Listing } from '#contract/resources.ts'
import type { FolderView, Sorting } from '#contract/users.ts'
import { recheckWaiting } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { onPath } from '#src/core/errno.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import type { Coding } from '#src/core/zlib/content-coding.ts'
import type { ListResult, ListStart } from '#src/files/listing/list-folder.ts'
import type { ListingFrame } from '#src/files/listing/list-task.ts'
import type { Lister } from '#src/files/listing/lister.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { type NormalizedPath, rootPath } from '#src/files/paths/user-path.ts'
import { isStillThere } from '#src/files/reading/readable-file.ts'
import { closing, openingOf } from './compressed-listing.ts'
import { commonFieldsOf } from './resource-view.ts'

/** Options of a listing. */
export interface ListingOptions {
  /** The folder as requested, including a trailing slash (contract/compatibility.md#listings-and-files). */
  typed: NormalizedPath
  /** The language whose sort order is used. */
  language: string
  /** Returns a signal that aborts when the client disconnects. It ends the wait of a queued listing. */
  signal: () => AbortSignal
  /** The codings that the client accepts, best first; empty: the answer must not be compressed. */
  codings: readonly Coding[]
  /**
   * Receives the beginning of the JSON of a large folder, and the estimated size of all of it in bytes, while the rest is
   * read. The result is then the rest. An error that it throws ends the listing.
   */
  start(beginning: CodedBody, sizeBytes: number): void
}

/** The JSON of a listing, or a part of it. Compressed if it has a coding. */
export interface CodedBody {
  body: Buffer
  coding?: Coding
}

/**
 * Lists folders, limited by a semaphore. Each user has a part of the worker threads, and visitors of shares have only
 * some of them.
 */
export function createListings(lister: Lister, semaphore: PartitionedSemaphore) {
  return {
    /**
     * Lists an open folder and returns the JSON of a `Listing`, or its rest (`ListingOptions.start`). The folder stays open while the listing waits; the
     * caller has counted its descriptor. Names and rules are read when the listing starts.
     *
     * @throws Problem `user.busy`, `server.busy`; after a wait, the reason why the request is no longer allowed.
     */
    async list(person: Principal, folder: OpenPath, listed: ListingOptions): Promise<CodedBody> {
      const { signal, typed } = listed
      const recheck = recheckWaiting(person, 'look', [typed.path, folder.path])
      using permit = semaphore.tryAcquire(person.quotaOwner)
      if (permit) return await read(person, folder, { ...listed, recheck })
      using _permit = await semaphore.acquire(person.quotaOwner, { recheck, signal })
      // A moved folder may have other rules, and a deleted folder would look empty.
      if (!isStillThere(folder)) throw new Problem('path.unknown', { path: typed.path })
      return await read(person, folder, { ...listed, recheck })
    },
  }

  async function read(
    person: Principal,
    folder: OpenPath,
    { typed, language, signal, recheck, start, codings }: ListingOptions & { recheck: Recheck },
  ): Promise<CodedBody> {
    const { path, asFolder } = typed
    const { root, secret } = await person.jail()
    const { rules, pageUrl: page } = person
    const { hideDotfiles } = person.user
    const view = viewOf(person.user, path)
    const sorting = view?.sorting ?? person.user.sorting
    const { address, real } = folder
    const task = { address, real, root, secret, path, rules, hideDotfiles, sorting, language }
    const common = await commonFieldsOf(folder, path, person)
    const typedPath = asFolder && path !== rootPath ? `${path}/` : path
    const frame = frameOf({ kind: 'listing', ...common, path: typedPath, type: '' }, { sorting, view })
    const early = createEarlyStart(({ items, sizeBytes, coding, ...numbers }) => {
      const parts = coding ? [items] : [openingOf(frame, numbers), items]
      start(codedBody(parts, coding), sizeBytes)
    })
    const compressed = codings.length > 0 && { compressed: { codings, frame } }
    const result = await lister
      .list({ ...task, ...(page && { page }), ...compressed }, { recheck, signal, start: early.start })
      .catch(onPath(path))
    return bodyOf(result, { frame, sent: early.sentBytes() })
  }
}

/** The whole answer, or its rest after `sent` bytes of items. */
function bodyOf(
  result: ListResult,
  { frame, sent }: { frame: ListingFrame; sent: number | undefined },
): CodedBody {
  if (result.coding) return codedBody([result.items], result.coding)
  if (sent === undefined) return codedBody([openingOf(frame, result), result.items, closing])
  const separator = Buffer.from(sent > 0 && result.items.length > 0 ? ',' : '')
  return codedBody([separator, result.items, closing])
}

/** The JSON around the items, which are JSON already. */
function frameOf(
  facts: Omit<Listing, 'items' | 'numDirs' | 'numFiles' | 'sorting' | 'view'>,
  { sorting, view }: { sorting: Sorting; view: FolderView | undefined },
): ListingFrame {
  const after = JSON.stringify({ sorting, ...(view && { view }) }).slice(1, -1)
  return { before: JSON.stringify(facts).slice(0, -1), after: `,${after},"items":[` }
}

function codedBody(parts: Uint8Array[], coding?: Coding): CodedBody {
  return { body: Buffer.concat(parts), ...(coding && { coding }) }
}

/** Passes on the beginning of a listing. An error is kept until the thread has finished, because it runs on anyway. */
function createEarlyStart(send: (start: ListStart) => void) {
  let sent: number | undefined
  let refusal: { error: unknown } | undefined
  return {
    start(start: ListStart) {
      try {
        send(start)
        sent = start.items.length
      } catch (error) {
        refusal = { error }
      }
    },
    /** The size of the items that were sent; undefined: the listing was not begun early. @throws the error of `send`. */
    sentBytes(): number | undefined {
      if (refusal) throw refusal.error
      return sent
    },
  }
}

/** The view that the user chose for a folder, unless a change of view holds for all folders. */
function viewOf({ rememberViews, folderViews }: UserRecord, folder: string): FolderView | undefined {
  return rememberViews !== false && folderViews ? entryOf(folderViews, folder) : undefined
}

export type Listings = ReturnType<typeof createListings>
