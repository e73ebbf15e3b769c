import type { Listing } from '#contract/resources.ts'
import type { FolderView } from '#contract/users.ts'
import type { Principal } from '#src/auth/actor.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import { onPath } from '#src/core/errno.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import type { Lister } from '#src/files/listing/lister.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { type NormalizedPath, rootPath } from '#src/files/paths/user-path.ts'
import { isStillThere } from '#src/files/reading/open-held.ts'
import { commonFieldsOf } from './resource-view.ts'
import { recheckWaiting } from './resources.policy.ts'

/** Options of a listing. */
export interface ListingOptions {
  /** The folder as requested, including a trailing slash (contract/compatibility.md#listings-and-files). */
  typed: NormalizedPath
  /** The language whose sort order is used. */
  language: string
  /** Returns a signal that aborts when the client disconnects. It ends the wait of a queued listing. */
  signal: () => AbortSignal
}

/**
 * Lists folders, limited by a semaphore. Each user has a part of the worker threads, and visitors of shares have only
 * some of them.
 */
export function createListings(lister: Lister, semaphore: PartitionedSemaphore) {
  return {
    /**
     * Lists an open folder and returns the JSON of a `Listing`. The folder stays open while the listing waits; the
     * caller has counted its descriptor. Names and rules are read when the listing starts.
     *
     * @throws Problem `user.busy`, `server.busy`; after a wait, the reason why the request is no longer allowed.
     */
    async list(person: Principal, folder: OpenPath, listed: ListingOptions): Promise<Buffer> {
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
    { typed, language, signal, recheck }: ListingOptions & { recheck: Recheck },
  ): Promise<Buffer> {
    const { path, asFolder } = typed
    const { root, secret } = await person.jail()
    const { rules, pageUrl: page } = person
    const { hideDotfiles } = person.user
    const view = viewOf(person.user, path)
    const sorting = view?.sorting ?? person.user.sorting
    const { address, real } = folder
    const task = { address, real, root, secret, path, rules, hideDotfiles, sorting, language }
    const { items, numDirs, numFiles } = await lister
      .list({ ...task, ...(page && { page }) }, { recheck, signal })
      .catch(onPath(path))
    const facts: Omit<Listing, 'items'> = {
      kind: 'listing',
      ...(await commonFieldsOf(folder, path, person)),
      path: asFolder && path !== rootPath ? `${path}/` : path,
      type: '',
      numDirs,
      numFiles,
      sorting,
      ...(view && { view }),
    }
    // The items are JSON already. Only the object around them is written here.
    const frame = JSON.stringify(facts)
    return Buffer.concat([Buffer.from(`${frame.slice(0, -1)},"items":`), items, Buffer.from('}')])
  }
}

/** The view that the user chose for a folder, if the page remembers it. */
function viewOf({ rememberViews, folderViews }: UserRecord, folder: string): FolderView | undefined {
  return rememberViews && folderViews ? entryOf(folderViews, folder) : undefined
}

export type Listings = ReturnType<typeof createListings>
