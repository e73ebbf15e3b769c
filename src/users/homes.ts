import { Problem } from '#src/core/problem.ts'
import type { Store } from '#src/core/state/store.ts'
import { foldPath } from '#src/core/text/fold.ts'
import { homeName } from '#src/core/text/user-names.ts'
import { openDeepest, openJail, openPath } from '#src/files/jail/jail.ts'
import { childOf, rootPath, typedPath, type UserPath } from '#src/files/paths/user-path.ts'
import { makeFolder } from '#src/files/writing/make.ts'
import type { Modes } from '#src/settings/modes.ts'

/**
 * The folders that people are let into.
 *
 * @param options.modes of new folders
 * @param options.served real path of the served folder
 * @param options.secret real paths in it that nobody reaches
 */
export function createHomes(options: {
  store: Store
  modes: () => Modes
  served: string
  secret: readonly string[]
}) {
  const { store, modes, served, secret } = options
  const whole = () => openJail(served, rootPath, { allows: () => true, secret })

  /** What is at a scope, or stands in the way of it; undefined when there is nothing. */
  async function look(scope: UserPath): Promise<'folder' | 'other' | undefined> {
    const deepest = await openDeepest(await whole(), scope).catch(ignoreOwn)
    if (!deepest) return 'other'
    const { found, at } = deepest
    await found.close()
    if (!found.stats.isDirectory()) return 'other'
    return at === scope ? 'folder' : undefined
  }

  return {
    /** Makes the folder of a scope when it is missing. @throws Problem `path.outside`, `path.exists`, `path.denied`. */
    async make(scope: string): Promise<void> {
      const home = await makeFolder(await whole(), typedPath(scope).path, {
        mode: modes().dirMode,
      })
      await home.close()
    },

    /**
     * Whether one of `others` is the same folder as the scope, which is there, on a disk that takes a name in several
     * spellings. The disk itself is asked: which spellings it takes for one, only it knows.
     */
    async isAnothers(scope: string, others: readonly string[]): Promise<boolean> {
      const jail = await whole()
      await using own = await openPath(jail, typedPath(scope).path)
      if (!own.folds) return false
      for (const other of others) {
        // What cannot be looked at is not this folder, which can.
        const there = await openPath(jail, typedPath(other).path).catch(() => undefined)
        await there?.close()
        if (there?.real === own.real) return true
      }
      return false
    },

    /** Whether something has this name already. @throws Problem `path.outside`. */
    isThere: async (scope: UserPath) => (await look(scope)) !== undefined,

    /** The folder of one's own that a name leads to (contract/compatibility.md#rules-and-scopes). @throws Problem `user.name`. */
    ofName: (username: string): UserPath =>
      childOf(typedPath(store.data.settings.userHomeBasePath).path, homeName(username)),

    /**
     * A scope as it is stored: a path from the served root that leads to a folder, or to nothing yet.
     *
     * @throws Problem `request.invalid` for anything else.
     */
    async checkScope(written: string): Promise<UserPath> {
      const refuse = (reason: string, cause?: unknown) =>
        new Problem('request.invalid', { field: 'data.scope', reason }, { cause })
      try {
        const { path } = typedPath(written.trim())
        if ((await look(path)) === 'other') throw refuse('is not a folder')
        return path
      } catch (error) {
        if (!(error instanceof Problem) || error.code === 'request.invalid') throw error
        throw refuse(error.message, error)
      }
    },
  }
}

export type Homes = ReturnType<typeof createHomes>

/** What is Coffer's own is there for nobody, and in the way of everybody. */
function ignoreOwn(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'path.unknown')) throw error
}

/** Whether two scopes may be one folder on some disk: one that ignores case, Unicode forms, or a dot at the end. */
export function isSameScope(left: string, right: string): boolean {
  const key = (scope: string) => foldPath(typedPath(scope).path)
  return key(left) === key(right)
}
