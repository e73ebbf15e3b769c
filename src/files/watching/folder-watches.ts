import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { Logger } from '#src/core/log/log.ts'
import { errnoOf } from '#src/core/problem.ts'
import { remoteMountOf } from '#src/files/paths/remote-mounts.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { type ChangedNames, startWatch, type Watch } from './folder-watch.ts'

/** What has happened in the watched folders since the last report. Folders are real paths. */
export interface WatchReport {
  changed: Map<string, ChangedNames>
  /** Folders that were deleted, moved, replaced or unmounted. They are no longer watched. */
  ended: string[]
}

/** A watched folder, until it is disposed of. */
export interface FolderWatch extends Disposable {
  /** Whether the folder is still watched: it was not deleted, moved or replaced. */
  readonly isActive: boolean
}

/** Limits of the number of watched folders. */
export interface WatchLimits {
  /** For one owner. Each user of a folder counts. */
  each: number
  /** For all owners. Each folder counts once. */
  all: number
}

/**
 * Watches folders for changes that any program makes in them (inotify on Linux). A folder has one watch, however many
 * users it has. Folders of remote disks are never watched: the system does not report what other machines change.
 *
 * @param options.onActivity called when `collect` has something to report
 */
export function createFolderWatches(options: { limits: WatchLimits; log: Logger; onActivity: () => void }) {
  const { limits, onActivity } = options
  const permits = createSemaphore('watched folders', { each: limits.each, all: Number.POSITIVE_INFINITY })
  const watches = new Map<string, Watch>()
  const users = new WeakMap<Watch, number>()
  const warn = createWarning(options.log)

  function end(watch: Watch): void {
    watch.close()
    if (watches.get(watch.real) === watch) watches.delete(watch.real)
  }

  function begin(folder: OpenPath): Watch | undefined {
    if (watches.size >= limits.all) return undefined
    try {
      const made = startWatch(folder, onActivity)
      watches.set(folder.real, made)
      return made
    } catch (error) {
      warn(errnoOf(error))
      return undefined
    }
  }

  /** The watch of a folder. Undefined: a limit is reached. */
  function find(folder: OpenPath): Watch | undefined {
    const known = watches.get(folder.real)
    if (known?.isFor(folder)) return known
    if (known) end(known)
    return begin(folder)
  }

  function count(watch: Watch, by: number): void {
    const now = (users.get(watch) ?? 0) + by
    users.set(watch, now)
    if (now === 0) end(watch)
  }

  async function reportOn(which: readonly Watch[], reportsMissed: boolean): Promise<WatchReport> {
    const report: WatchReport = { changed: new Map(), ended: [] }
    const inspect = async (watch: Watch) => {
      const found = await watch.inspect(reportsMissed)
      if (found === 'ended') {
        end(watch)
        report.ended.push(watch.real)
      } else if (found !== 'nothing') report.changed.set(watch.real, found.names)
    }
    await Promise.all(which.map(inspect))
    return report
  }

  return {
    /** Number of watched folders. */
    get size() {
      return watches.size
    },

    /**
     * Watches an open folder until the result is disposed of. The folder may be closed after the call. Undefined: it
     * cannot be watched, or a limit is reached.
     */
    watch(owner: string, folder: OpenPath): FolderWatch | undefined {
      if (remoteMountOf(folder.real) !== undefined) return undefined
      const permit = permits.tryAcquire(owner)
      const watch = permit && find(folder)
      if (!watch) {
        permit?.[Symbol.dispose]()
        return undefined
      }
      count(watch, 1)
      // Does nothing when it is disposed of again.
      const held = new DisposableStack()
      held.use(permit)
      held.defer(() => count(watch, -1))
      return {
        get isActive() {
          return watches.get(folder.real) === watch
        },
        [Symbol.dispose]: () => held.dispose(),
      }
    },

    /** Reports and forgets what has happened. */
    collect: () =>
      reportOn(
        [...watches.values()].filter(({ isDirty }) => isDirty),
        false,
      ),

    /** Like `collect`. Also notices folders above a watched one that were moved, and events that the system dropped. */
    check: () => reportOn([...watches.values()], true),

    close(): void {
      for (const one of [...watches.values()]) end(one)
    },
  }
}

export type FolderWatches = ReturnType<typeof createFolderWatches>

// The limit of the system is a matter for its administrator, but not once a second.
const warnEveryMs = 60 * 60_000

/** Returns a function that logs, at most once an hour, that a limit of the system is reached. */
function createWarning(log: Logger) {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (errno: string | undefined): void => {
    const isLimit = errno === 'ENOSPC' || errno === 'EMFILE'
    if (!isLimit || performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    const advice = 'raise fs.inotify.max_user_watches and fs.inotify.max_user_instances'
    log.warn({ errno }, `the system cannot watch more folders for changes: ${advice}`)
  }
}
