import type { HomePlace } from '#contract/settings.ts'
import type { FileModes } from '#src/access/modes.ts'
import { entryOf } from '#src/core/lookup.ts'
import { onPath, Problem } from '#src/core/problem.ts'
import { foldPath } from '#src/core/text/fold.ts'
import { homeFolderName } from '#src/core/text/user-names.ts'
import { unrecorded } from '#src/files/changes/change.ts'
import { openDeepest, openJail, openPath } from '#src/files/jail/jail.ts'
import { fewFolders, secretsIn } from '#src/files/paths/read-folder.ts'
import {
  childOf,
  normalizePath,
  normalizeSetting,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { makeFolder } from '#src/files/writing/make.ts'
import type { Store } from '#src/state/store.ts'

/** The number of folders in a folder that are shown to choose from. */
const maxFolders = 1000

/**
 * Creates and checks the folders of users: home folders and scopes.
 *
 * @param options.modes permission bits of new folders
 * @param options.served real path of the served folder
 * @param options.secret real paths in the served folder that no user can reach
 */
export function createHomes(options: {
  settings: Store['settings']
  modes: () => FileModes
  served: string
  secret: readonly string[]
}) {
  const { settings, modes, served, secret } = options
  const openWhole = () => openJail(served, rootPath, { allows: () => true, secret })

  /** The kind of the entry at a scope, or of an entry that blocks its path; undefined when nothing exists there. */
  async function kindAt(scope: UserPath): Promise<'folder' | 'other' | undefined> {
    const deepest = await openDeepest(await openWhole(), scope).catch(ignoreOwn)
    if (!deepest) return 'other'
    const { found, at } = deepest
    await found.close()
    if (!found.stats.isDirectory()) return 'other'
    return at === scope ? 'folder' : undefined
  }

  /** The folders in a folder; what is there instead if there is none. */
  async function foldersAt(path: UserPath) {
    const { found, at } = await openDeepest(await openWhole(), path)
    await using folder = found
    if (!folder.stats.isDirectory()) return 'other'
    if (at !== path) return 'missing'
    const sight = { secrets: secretsIn(folder.real, secret), hideDotfiles: false, allows: () => true }
    const { names, hasMore } = await fewFolders(folder.address, sight, maxFolders).catch(onPath(path))
    return { names: names.sort(new Intl.Collator('en', { numeric: true }).compare), hasMore }
  }

  return {
    /** Creates the folder of a scope if it is missing. @throws Problem `path.outside`, `path.exists`, `path.denied`. */
    async create(scope: string): Promise<void> {
      const home = await makeFolder(await openWhole(), normalizePath(scope).path, {
        mode: modes().dirMode,
        change: unrecorded,
      })
      await home.close()
    },

    /**
     * Whether one of `others` is the same folder as the existing scope, on a disk that ignores case or Unicode form.
     * Compares real paths, because only the disk knows which spellings it treats as equal.
     */
    async isSameFolderAsAny(scope: string, others: readonly string[]): Promise<boolean> {
      const jail = await openWhole()
      await using own = await openPath(jail, normalizePath(scope).path)
      if (!own.folds) return false
      for (const other of others) {
        // This folder can be opened, so a path that cannot be opened is another folder.
        const there = await openPath(jail, normalizePath(other).path).catch(() => undefined)
        await there?.close()
        if (there?.real === own.real) return true
      }
      return false
    },

    /** Whether an entry exists at this path. @throws Problem `path.outside`. */
    exists: async (scope: UserPath) => (await kindAt(scope)) !== undefined,

    /**
     * What is at a path that an administrator may choose as scope, with the folders in it.
     *
     * @throws Problem `path.invalid` for a text that is no path, `path.denied`.
     */
    async look(written: string): Promise<HomePlace> {
      const { path } = normalizeSetting(written.trim())
      const found = await foldersAt(path).catch((error: unknown) => {
        // Coffer's own files are unknown to everyone.
        const kinds = { 'path.unknown': 'other', 'path.outside': 'outside' } as const
        const kind = error instanceof Problem && entryOf(kinds, error.code)
        if (!kind) throw error
        return kind
      })
      return typeof found === 'string'
        ? { path, kind: found, folders: [], hasMore: false }
        : { path, kind: 'folder', folders: found.names, hasMore: found.hasMore }
    },

    /** The home folder for a user name (contract/compatibility.md#rules-and-scopes). @throws Problem `user.name`. */
    async homeOf(username: string): Promise<UserPath> {
      const { userHomeBasePath } = await settings.get()
      return childOf(normalizePath(userHomeBasePath).path, homeFolderName(username))
    },

    /**
     * The stored form of a scope: a path in the served folder that is a folder or does not exist yet.
     *
     * @throws Problem `request.invalid` for anything else.
     */
    async checkScope(written: string): Promise<UserPath> {
      const refuse = (reason: string, cause?: unknown) =>
        new Problem('request.invalid', { field: 'data.scope', reason }, { cause })
      try {
        const { path } = normalizeSetting(written.trim())
        if ((await kindAt(path)) === 'other') throw refuse('is not a folder')
        return path
      } catch (error) {
        if (!(error instanceof Problem) || error.code === 'request.invalid') throw error
        throw refuse(error.message, error)
      }
    },
  }
}

export type Homes = ReturnType<typeof createHomes>

/** Coffer's own files are hidden, but they block the path. @throws every other error */
function ignoreOwn(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'path.unknown')) throw error
}

/** Whether two scopes may be the same folder on a disk that ignores case, Unicode form or a trailing dot. */
export function isSameScope(left: string, right: string): boolean {
  const key = (scope: string) => foldPath(normalizePath(scope).path)
  return key(left) === key(right)
}
