import type { Listing } from '#contract/resources.ts'
import type { FolderView, Sorting } from '#contract/users.ts'
import { recheckWaiting } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { entryOf } from '#src/core/lookup.ts'
import { onPath, Problem, type Recheck, unconditional } from '#src/core/problem.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { locate } from '#src/files/jail/locate.ts'
import { extensionOf, goMode, modifiedOf, pageUrl } from '#src/files/listing/entry.ts'
import type { ListResult, ListStart } from '#src/files/listing/list-folder.ts'
import type { CompressedAnswer, ListTask } from '#src/files/listing/list-task.ts'
import { type StatTask, stopHelper } from '#src/files/listing/stat-names.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { type NormalizedPath, nameOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { isStillThere } from '#src/files/reading/readable-file.ts'
import type { UserRecord } from '#src/state/state.ts'

/** What a door writes before the entries of a folder. */
export interface FolderFacts {
  facts: Awaited<ReturnType<typeof commonFieldsOf>>
  sorting: Sorting
  /** The view that the user chose for the folder; undefined: none. */
  view: FolderView | undefined
}

/** Turns a listing into the answer of a protocol. */
export type ListingEncoder<T> = (folder: FolderFacts) => {
  /** What the thread needs to compress the answer; undefined: it returns the entries alone. */
  compressed?: CompressedAnswer | undefined
  /** Receives the first entries of a large folder while the others are read. An error that it throws ends the listing. */
  start(first: ListStart): void
  /** Returns the answer, or its rest after the first entries. @param sent the size of those; undefined: there were none */
  end(rest: ListResult, sent: number | undefined): T
}

/** Options of a listing. */
export interface ListingOptions<T> {
  /** The folder as requested, including a trailing slash (contract/compatibility.md#listings-and-files). */
  typed: NormalizedPath
  /** The language whose sort order is used. */
  language: string
  /** Returns a signal that aborts when the client disconnects. It ends the wait of a queued listing. */
  signal: () => AbortSignal
  encode: ListingEncoder<T>
}

/**
 * Lists folders, limited by a semaphore. Each user has a part of the worker threads, and visitors of shares have only
 * some of them.
 */
export function createListings(lister: Lister, semaphore: PartitionedSemaphore) {
  return {
    /**
     * Lists an open folder. The folder stays open while the listing waits; the caller has counted its descriptor. Names and
     * rules are read when the listing starts.
     *
     * @throws Problem `user.busy`, `server.busy`; after a wait, the reason why the request is no longer allowed.
     */
    async list<T>(person: Principal, folder: OpenPath, listed: ListingOptions<T>): Promise<T> {
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

  async function read<T>(
    person: Principal,
    folder: OpenPath,
    { typed, language, signal, recheck, encode }: ListingOptions<T> & { recheck: Recheck },
  ): Promise<T> {
    const { path, asFolder } = typed
    const { root, secret } = await person.jail()
    const { rules, pageUrl: page } = person
    const { hideDotfiles } = person.user
    const view = folderViewOf(person.user, path)
    const sorting = view?.sorting ?? person.user.sorting
    const { address, real } = folder
    const task = { address, real, root, secret, path, rules, hideDotfiles, sorting, language }
    const typedPath = asFolder && path !== rootPath ? (`${path}/` as UserPath) : path
    const facts = { ...(await commonFieldsOf(folder, path, person)), path: typedPath }
    const { compressed, start, end } = encode({ facts, sorting, view })
    const early = createEarlyStart(start)
    const result = await lister
      .list(
        { ...task, ...(page && { page }), ...(compressed && { compressed }) },
        { recheck, signal, start: early.start },
      )
      .catch(onPath(path))
    return end(result, early.sentBytes())
  }
}

/**
 * Yields the entries of a folder as objects: the first ones of a large folder while the others are read.
 *
 * @param list lists the folder with an encoder
 */
export async function* entriesOf(
  list: (encode: ListingEncoder<ListResult>) => Promise<ListResult>,
): AsyncGenerator<Listing['items']> {
  const first = Promise.withResolvers<ListResult>()
  const all = list(() => ({ start: first.resolve, end: (rest) => rest }))
  const early = await Promise.race([first.promise, all])
  yield objectsOf(early)
  const rest = await all
  if (rest !== early) yield objectsOf(rest)
}

function objectsOf({ items }: ListResult): Listing['items'] {
  return JSON.parse(`[${Buffer.from(items)}]`)
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
function folderViewOf({ rememberViews, folderViews }: UserRecord, folder: string): FolderView | undefined {
  return rememberViews !== false && folderViews ? entryOf(folderViews, folder) : undefined
}

export type Listings = ReturnType<typeof createListings>

/** The worker threads that read folders. */
export type Lister = ReturnType<typeof createLister>

interface ListerOptions {
  recheck: Recheck
  signal?: () => AbortSignal
  start(start: ListStart): void
}

/** Creates the pool. It starts threads only when there is a folder to read. Two threads read a large folder. */
export function createLister() {
  const workers = createWorkerPool<ListTask | StatTask, ListResult | undefined, StatTask | ListStart>(
    'list',
    {
      threads: threads.list,
      // People open folders again and again, with pauses that are longer than the life of an idle thread.
      spare: 1,
      // A listing of 100,000 entries takes 7 % longer with 4 MiB.
      semiSpaceMb: 8,
    },
  )
  // The number of busy threads. `helping` has the tasks of those that only help another thread.
  let busy = 0
  const helping = new Set<StatTask>()

  /** Lets another thread help with a listing, unless another listing waits for a thread. */
  async function help(part: StatTask, done: AbortSignal): Promise<void> {
    if (busy >= threads.list) return
    helping.add(part)
    busy++
    // A helper task that is still queued is cancelled when the listing is complete.
    await workers.run(part, { recheck: unconditional, signalWhileQueued: done }).catch(() => undefined)
    helping.delete(part)
    busy--
  }

  return {
    /**
     * Reads the folder of `task`.
     *
     * @param how.signal cancels the task while it is queued
     * @param how.start receives the first entries of a large folder; the result then contains only the rest
     * @throws the error of the system when it cannot be read; the reason of the signal; the error of `recheck`.
     */
    async list(task: ListTask, { recheck, signal, start }: ListerOptions): Promise<ListResult> {
      const done = new AbortController()
      const isFull = busy >= threads.list
      if (isFull) for (const part of helping) stopHelper(part)
      busy++
      const run = workers.run(task, {
        recheck,
        ...(isFull && signal && { signalWhileQueued: signal() }),
        onPart: (part) => ('shared' in part ? void help(part, done.signal) : start(part)),
      })
      const result = await run.finally(() => {
        busy--
        done.abort()
      })
      if (!result) throw new Error('the list thread answered another task')
      return result
    },
    /** Stops the threads; their running tasks fail. */
    close: () => workers.close(),
  }
}

/** The properties that every file and folder has. */
export async function commonFieldsOf(
  held: OpenPath,
  path: UserPath,
  { pageUrl: page, rootName: top, jail }: Principal,
) {
  const { stats } = held
  const isDir = stats.isDirectory()
  const name = path === rootPath ? (top ?? '') : nameOf(path)
  return {
    name,
    path,
    url: pageUrl(path, isDir, page),
    size: stats.size,
    extension: isDir ? '' : extensionOf(name),
    modified: modifiedOf(stats),
    mode: goMode(stats),
    isDir,
    isSymlink: held.path !== path && (await isLink(await jail(), path)),
  }
}

/**
 * Whether the last name of the path is a symbolic link; links earlier in the path do not count. Access to the path
 * has been checked. Returns false for a path that leaves the scope and enters it again.
 */
async function isLink(jail: Jail, path: UserPath): Promise<boolean> {
  try {
    await using name = await locate({ ...jail, allows: () => true }, path)
    return name.stats?.isSymbolicLink() ?? false
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
