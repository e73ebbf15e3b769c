import { Problem } from '#src/core/problem.ts'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import {
  isWithin,
  normalizePath,
  normalizeSetting,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import type { Tell } from './access.ts'

/** The served folder, as the import looks into it. */
export interface Served {
  /** Its real path. */
  readonly root: string
  /** Real paths that are never accessible through Coffer. */
  readonly secret: readonly string[]
  /** The folder that File Browser served. Undefined: unknown. */
  readonly previousRoot: string | undefined
  /** Whether absolute scopes were paths of the disk: before 2.22. Undefined: unknown. */
  readonly hasDiskScopes: boolean | undefined
}

/**
 * Returns the scope of a user, or of new users: a path in the served folder, in normal form. Empty and `.` mean the served
 * folder itself.
 *
 * Before 2.22, an absolute scope was a path of the disk. So a scope that begins with the path of the served folder loses
 * that part, unless a folder with the whole path exists in the served folder.
 *
 * @throws Problem `path.invalid` for text that is not a path.
 */
export async function scopeOf(written: string, served: Served, tell: Tell): Promise<UserPath> {
  const { path } = normalizeSetting(written.trim())
  const short = withoutRoot(path, served)
  const isAbsolute = written.trim().startsWith('/')
  if (isAbsolute && short !== undefined && (await usesShort(path, short, served))) {
    tell('changed', `the scope ${written} was a path of the disk: it is now ${short}`)
    return short
  }
  if (/(^|\/)\.\.(\/|$)/.test(written)) tell('changed', `the scope ${written} is now ${path}`)
  else if (isAbsolute && served.hasDiskScopes && path !== rootPath)
    tell(
      'changed',
      `the scope ${written}, maybe a path of the disk before, is now the folder ${path} in the root`,
    )
  return path
}

/** The rest of a path behind the path of the served folder. Undefined when it does not begin with that. */
function withoutRoot(path: UserPath, { root, previousRoot }: Served): UserPath | undefined {
  const top = [root, previousRoot].find((each) => each !== undefined && each !== '/' && isWithin(path, each))
  return top === undefined ? undefined : normalizePath(path.slice(top.length)).path
}

async function usesShort(path: UserPath, short: UserPath, served: Served): Promise<boolean> {
  if ((await folderAt(path, served)) === 'folder') return false
  return (await folderAt(short, served)) === 'folder' || served.hasDiskScopes !== false
}

/** What is at a path in the served folder: a folder, nothing, or the reason why it cannot be a scope. */
export async function folderAt(path: UserPath, { root, secret }: Served): Promise<string> {
  try {
    const whole = await openJail(root, rootPath, { allows: () => true, secret })
    await using found = await openPath(whole, path)
    return found.stats.isDirectory() ? 'folder' : 'it is not a folder'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.code === 'path.unknown' ? 'missing' : error.message
  }
}
