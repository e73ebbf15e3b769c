import type { ShownFolder } from '#contract/history/events.ts'
import type { Actor } from '#src/access/principal.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { modifiedOf } from '#src/files/listing/entry.ts'
import { stat } from '#src/files/paths/disk.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { FolderWatch, FolderWatches } from '#src/files/watching/folder-watches.ts'

/** A folder that a connection shows. */
interface Shown {
  /** The real path. Undefined: it cannot be read now. */
  real: string | undefined
  /** The scope in which the path was opened; empty if a link is on the path. */
  root: string
  ino: number
  modified: string | undefined
  /** Undefined: changes of other programs are not noticed. */
  watch: FolderWatch | undefined
}

/** What becomes of the shown folders of a connection. */
interface ShownListener {
  /** Called when the path leads to another folder than before, or to none, or when changes may have been missed. */
  onReplaced(path: UserPath): void
  /** Called when a folder is watched from now on, or no longer. */
  onWatch(folder: ShownFolder): void
}

/** The folders that one connection shows, opened with the present rights of its user, and watched if possible. */
export function createShownFolders(
  actor: Actor,
  watches: Pick<FolderWatches, 'watch'>,
  { onReplaced, onWatch }: ShownListener,
) {
  const shown = new Map<UserPath, Shown>()
  let isClosed = false

  const open = async (path: UserPath, before: Shown | undefined): Promise<Shown> =>
    isClosed ? missing : openShown(actor, watches, { path, before })

  /** Puts what was opened in the place of what was known. */
  function replace(path: UserPath, now: Shown): Shown {
    const before = shown.get(path)
    shown.set(path, now)
    if (before?.watch !== now.watch) before?.watch?.[Symbol.dispose]()
    if (isClosed) close()
    return now
  }

  const describe = (folder: UserPath, { watch, modified }: Shown): ShownFolder => ({
    folder,
    isWatched: watch !== undefined,
    ...(modified !== undefined && { modified }),
  })

  /** Opens a shown folder again. */
  async function reopen(path: UserPath): Promise<void> {
    const before = shown.get(path)
    if (!before) return
    const now = await open(path, before)
    if (isClosed) return now.watch?.[Symbol.dispose]()
    replace(path, now)
    // A new watch of the same folder has missed what happened since the end of the previous one.
    const isRewatched = now.watch !== undefined && now.watch !== before.watch
    if (now.real !== before.real || now.ino !== before.ino || isRewatched) onReplaced(path)
    if ((now.watch === undefined) !== (before.watch === undefined)) onWatch(describe(path, now))
  }

  function close(): void {
    isClosed = true
    for (const { watch } of shown.values()) watch?.[Symbol.dispose]()
    shown.clear()
  }

  return {
    /** Shows exactly these folders. */
    async set(paths: readonly UserPath[]): Promise<ShownFolder[]> {
      const wanted = new Set(paths)
      for (const [path, { watch }] of shown) {
        if (wanted.has(path)) continue
        watch?.[Symbol.dispose]()
        shown.delete(path)
      }
      const result: ShownFolder[] = []
      for (const path of wanted) result.push(describe(path, replace(path, await open(path, shown.get(path)))))
      return result
    },

    /** The shown paths that lead to the folder with this real path. */
    pathsTo: (real: string): UserPath[] =>
      [...shown].flatMap(([path, one]) => (one.real === real ? [path] : [])),

    /** The shown paths whose real path fulfils the condition. */
    pathsWhere: (matches: (real: string) => boolean): UserPath[] =>
      [...shown].flatMap(([path, { real }]) => (real !== undefined && matches(real) ? [path] : [])),

    /** Opens these folders again. */
    async verify(paths: readonly UserPath[]): Promise<void> {
      for (const path of paths) await reopen(path)
    },

    /** Opens the folders again that may lead elsewhere or may be watched now. A watch notices the moves of others. */
    async verifyAll(): Promise<void> {
      const root = await actor.jail().then(
        (jail) => jail.root,
        () => undefined,
      )
      const isCertain = (one: Shown) => one.watch?.isActive && one.root === root
      for (const [path, one] of [...shown]) if (!isCertain(one)) await reopen(path)
    },

    has: (path: UserPath): boolean => shown.has(path),

    close,
  }
}

/** Opens a folder and watches it. @param shown.before its watch is kept if the path still leads to the same folder */
async function openShown(
  actor: Actor,
  watches: Pick<FolderWatches, 'watch'>,
  { path, before }: { path: UserPath; before: Shown | undefined },
): Promise<Shown> {
  try {
    const jail = await actor.jail()
    await using held = await openPath(jail, path)
    if (!held.stats.isDirectory()) return missing
    const { real, stats } = held
    const isSame = before?.real === real && before.ino === stats.ino
    const known = isSame && before.watch?.isActive ? before.watch : undefined
    const watch = known ?? watches.watch(actor.quotaOwner.key, held)
    // Read again after the watch has begun: no change between the two is missed.
    const modified = modifiedOf(watch ? await stat(held.address) : stats)
    return { real, root: held.path === path ? jail.root : '', ino: stats.ino, modified, watch }
  } catch {
    // Denied, missing, silent: for the client all are the same as a folder that cannot be watched.
    return missing
  }
}

export type ShownFolders = ReturnType<typeof createShownFolders>

const missing: Shown = { real: undefined, root: '', ino: 0, modified: undefined, watch: undefined }
