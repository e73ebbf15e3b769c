import { join } from 'node:path'
import { type Bookmark, maxRecent, maxStarred } from '#contract/history/bookmarks.ts'
import type { Actor } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Scan, ScanOwner, Scans } from '#src/core/database/scans.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import { acquireDescriptors, type WaitOptions } from '#src/entries/open.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { locate } from '#src/files/jail/locate.ts'
import { modifiedOf, typeByName } from '#src/files/listing/entry.ts'
import { pathOfDeleted, realForRecord, servedPath } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { nameOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import type { Store } from '#src/state/store.ts'
import {
  type BookmarkRow,
  listCleared,
  otherUsersRemoved,
  pathsRemoved,
  readBookmarks,
  recentStatements,
  starStatements,
} from './bookmark-rows.ts'

interface BookmarksOptions {
  database: Pick<Database, 'write' | 'writeLater'>
  scans: Scans
  /** Real path of the served folder. */
  root: string
  clock: Clock
  files: PartitionedSemaphore
}

/** Creates the services for the starred and the recent files of each user. */
export function createBookmarks({ database, scans, root, clock, files }: BookmarksOptions) {
  const descriptors = (actor: Actor, paths: readonly UserPath[], options: WaitOptions) =>
    acquireDescriptors(files, actor, { kind: 'read', verb: 'look', paths, ...options })

  /** An entry that the user may read: where it is in the served folder, and whether it is a folder. */
  async function find(actor: Actor, path: UserPath, options: WaitOptions) {
    using _permit = await descriptors(actor, [path], options)
    const jail = await actor.jail()
    await using held = await openPath(jail, path)
    return { served: await servedPathOf(jail, path), isFolder: held.stats.isDirectory() }
  }

  /** The path of an entry relative to the served folder. A symbolic link is itself, not its target. */
  async function servedPathOf(jail: Jail, path: UserPath): Promise<string> {
    await using located = await locate(jail, path)
    return servedPath(root, realForRecord(jail, located.path))
  }

  /** The entries of a list that the user may read now, in their order. Those that are gone are marked. */
  async function* readable(
    actor: Actor,
    scan: Scan,
    { rows, by }: { rows: readonly BookmarkRow[]; by: ScanOwner },
  ) {
    using _permit = await descriptors(actor, [], { signal: () => by.signal })
    const jail = await actor.jail()
    const top = servedPath(root, jail.root)
    for (const row of rows) {
      await scan.pause()
      const path = row.files > 1 && row.path === top ? rootPath : pathOfDeleted(jail, join(root, row.path))
      const item = path && (await itemAt(jail, path, row))
      if (item) yield item
    }
  }

  return {
    /** The starred entries that the user may read, the last starred first. */
    starred(actor: Actor, by: ScanOwner): Promise<Bookmark[]> {
      return scans.run(by, async (scan) => {
        const rows = await readBookmarks(scan, actor.user.id, 'starred')
        const found: Bookmark[] = []
        for await (const item of readable(actor, scan, { rows, by })) found.push(item)
        return found
      })
    },

    /** Stars an entry. @throws Problem `star.many`, and as `openPath`. */
    async star(actor: Actor, path: UserPath, options: WaitOptions): Promise<void> {
      const { served, isFolder } = await find(actor, path, options)
      const added = { user: actor.user.id, path: served, time: clock() }
      const results = await database.write(starStatements(added, isFolder, maxStarred))
      if (results.at(-1)?.length === 0) throw new Problem('star.many', { most: maxStarred })
    },

    /** Removes the star of an entry, which may be gone. Does nothing without a star. */
    async unstar(actor: Actor, path: UserPath): Promise<void> {
      const jail = await actor.jail()
      const named = servedPath(root, realForRecord(jail, path))
      const served = await servedPathOf(jail, path).catch((error: unknown) => {
        // Its folder may be gone or not be readable any more. Only stars of this user are removed.
        if (error instanceof Problem) return named
        throw error
      })
      await database.write([pathsRemoved(actor.user.id, 'starred', [named, served])])
    },

    /** The files that the user has opened or changed last and may read, the newest first. */
    recent(actor: Actor, by: ScanOwner): Promise<Bookmark[]> {
      return scans.run(by, async (scan) => {
        const rows = await readBookmarks(scan, actor.user.id, 'recent')
        const found: Bookmark[] = []
        for await (const item of readable(actor, scan, { rows, by })) {
          // Of the folders, only those of uploads are recent.
          if (!item.exists || item.isDir !== (item.files !== undefined)) continue
          if (found.push(item) >= maxRecent) break
        }
        return found
      })
    },

    /** Notes that the user has opened a file. @throws Problem `path.folder`, and as `openPath`. */
    async noteOpened(actor: Actor, path: UserPath, options: WaitOptions): Promise<void> {
      const { served, isFolder } = await find(actor, path, options)
      if (isFolder) throw new Problem('path.folder', { path })
      await database.writeLater(recentStatements([{ user: actor.user.id, path: served, time: clock() }]))
    },

    /** Clears the recent files of the user. */
    async clearRecent(actor: Actor): Promise<void> {
      await database.write([listCleared(actor.user.id, 'recent')])
    },
  }
}

/** Removes the lists of users who have no account any more. Never throws. */
export async function forgetOtherUsers({ database, store, log }: ForgetOptions): Promise<void> {
  try {
    await database.write([otherUsersRemoved((await store.users.list()).map(({ id }) => id))])
  } catch (err) {
    // No other user can see them. The next start tries again.
    log.error({ err }, 'the starred and recent files of deleted users could not be removed')
  }
}

interface ForgetOptions {
  database: Pick<Database, 'write'>
  store: Pick<Store, 'users'>
  log: Logger
}

/** Describes an entry of a list. Undefined: the user may not read it. */
async function itemAt(jail: Jail, path: UserPath, row: BookmarkRow): Promise<Bookmark | undefined> {
  const about = {
    ...{ name: nameOf(path), path, time: modifiedOf({ mtimeMs: row.time }) },
    ...(row.files > 1 && { files: row.files }),
  }
  try {
    await using held = await openPath(jail, path)
    const { stats } = held
    const isDir = stats.isDirectory()
    return {
      ...about,
      isDir,
      type: isDir ? '' : typeOf(path),
      exists: true,
      size: isDir ? 0 : stats.size,
      modified: modifiedOf(stats),
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code !== 'path.unknown') return undefined
    const isDir = row.is_folder === 1
    return { ...about, isDir, type: isDir ? '' : typeOf(path), exists: false, size: 0, modified: '' }
  }
}

function typeOf(path: UserPath): Bookmark['type'] {
  return typeByName(nameOf(path)) ?? 'blob'
}
