import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore, Semaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import type { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { exists } from '#src/files/jail/locate.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { acknowledgePart, createFlowControl } from './flow.ts'
import { parseQuery, type Query } from './query.ts'
import type { ScanResult, ScanTask } from './scan-tree.ts'

/** Worker threads that walk trees and send the entries that they find. */
export type ScanWorkers = ReturnType<typeof createWorkerPool<ScanTask, ScanResult, string[]>>

/**
 * Searches and lists the folders of a user, and streams the results. A walk occupies a thread only while the client
 * reads the results, and one user cannot occupy all threads.
 *
 * @param limits semaphores for running walks and for threads per user, and for open files
 */
export function createSearch(
  workers: ScanWorkers,
  limits: { walks: Semaphore; threads: Semaphore; files: PartitionedSemaphore },
) {
  async function* scan(
    actor: Principal,
    {
      folder,
      path,
      query,
      signal,
    }: { folder: OpenPath; path: UserPath; query: Query | undefined; signal: AbortSignal },
  ): AsyncGenerator<string[]> {
    const { root, secret } = await actor.jail()
    const { hideDotfiles } = actor.user
    const { address, real, path: resolvedPath } = folder
    const tree = { address, real, path, resolvedPath, secret, rules: actor.rules, hideDotfiles }
    const userKey = String(actor.user.id)
    for (let after: UserPath | undefined; ; ) {
      const flow = createFlowControl()
      const recheck = () => actor.check()
      const permit = await limits.threads.acquire(userKey, { signal, recheck })
      const onEnd = () => permit[Symbol.dispose]()
      const how = { signal, recheck, onEnd }
      const { stoppedAt } = yield* batches(workers, { tree, root, query, flow, after }, how)
      if (stoppedAt === undefined) return
      after = stoppedAt
    }
  }

  /** Opens the folder first, so that an error occurs before the first byte of the response. */
  async function begin(
    actor: Principal,
    { path, query, signal }: { path: UserPath; query: Query | undefined; signal: AbortSignal },
  ): Promise<AsyncGenerator<string[]>> {
    const permits = new DisposableStack()
    permits.use(limits.walks.acquireNow(String(actor.user.id)))
    try {
      const recheck = () => actor.check([path])
      permits.use(await limits.files.acquire(actor.quotaOwner, { recheck, signal }))
      const folder = await openPath(await actor.jail(), path)
      if (folder.stats.isDirectory())
        return withCleanup(folder, permits, scan(actor, { folder, path: folder.spelled, query, signal }))
      await folder.close()
      throw new Problem('path.file', { path })
    } catch (error) {
      permits.dispose()
      throw error
    }
  }

  return {
    /**
     * Finds entries below a folder by name (contract/README.md#search). Yields batches of `{dir, path}` as JSON texts.
     *
     * @throws Problem `path.unknown`, `path.forbidden`, `path.file`, `user.busy`, `server.busy`.
     */
    find: (actor: Principal, path: UserPath, { query, signal }: { query: string; signal: AbortSignal }) =>
      begin(actor, { path, query: parseQuery(query), signal }),

    /**
     * Lists all entries below a folder in batches of JSON texts (contract/compatibility.md#previews-and-details).
     *
     * @throws Problem like `find`.
     */
    listAll: (actor: Principal, path: UserPath, signal: AbortSignal) =>
      begin(actor, { path, query: undefined, signal }),

    /** Whether the scope has an entry named `recursive` at the top. It takes precedence over that endpoint. */
    async hasRecursiveEntry(actor: Principal): Promise<boolean> {
      return exists(await actor.jail(), `${rootPath}recursive` as UserPath).catch(() => false)
    },
  }
}

async function* withCleanup<T>(
  held: OpenPath,
  permits: Disposable,
  inner: AsyncGenerator<T>,
): AsyncGenerator<T> {
  try {
    yield* inner
  } finally {
    permits[Symbol.dispose]()
    await held.close()
  }
}

/** Yields the batches of a thread, with backpressure. Calls `onEnd` when the thread is free. */
async function* batches(
  workers: ScanWorkers,
  task: ScanTask,
  { signal, recheck, onEnd }: { signal: AbortSignal; recheck: Recheck; onEnd: () => void },
): AsyncGenerator<string[], ScanResult> {
  const waiting: string[][] = []
  let wake = () => {}
  let ended = false
  const stop = new AbortController()
  const run = workers
    .run(task, {
      recheck,
      signal: AbortSignal.any([signal, stop.signal]),
      onPart: (batch) => {
        waiting.push(batch)
        wake()
      },
    })
    .finally(() => {
      ended = true
      onEnd()
      wake()
    })
  run.catch(() => {}) // awaited below; prevents an unhandled rejection until then
  try {
    for (;;) {
      const batch = waiting.shift()
      if (batch) {
        acknowledgePart(task.flow)
        yield batch
      } else if (ended) break
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    return await run
  } finally {
    stop.abort()
  }
}
