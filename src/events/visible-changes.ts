import { dirname } from 'node:path'
import { accessProblem, pathInJail } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { childOf, nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { ChangedNames } from '#src/files/watching/folder-watch.ts'

/** A changed folder as one user sees it. */
export interface VisibleChange {
  folder: UserPath
  /** Undefined: too many, or unknown. */
  names: string[] | undefined
}

// A client that shows the folder reads it again in any case.
const mostNames = 100
const mostNameBytes = 16 * 1024

/**
 * The part of a change that a user may see, for one path to the folder. Undefined: nothing. The rules must allow the
 * folder and the name, both for the path through links and for the real path, as in a listing.
 *
 * @param where.path the path to the folder inside the jail, perhaps through a symbolic link
 * @param where.real the real path of the folder
 * @param where.folds whether names in it have several spellings
 */
export function visibleChange(
  jail: Jail,
  { path, real, folds }: { path: UserPath; real: string; folds: boolean },
  names: ChangedNames,
): VisibleChange | undefined {
  const isLinked = path !== pathInJail(jail, real)
  const isVisible = (at: UserPath, place: string) =>
    accessProblem(jail, { real: place, folds }) === undefined && (!isLinked || jail.allows(at, folds))
  if (!isVisible(path, real)) return undefined
  if (!names) return { folder: path, names: undefined }
  const visible: string[] = []
  let bytes = 0
  for (const name of names) {
    if (!isVisible(childOf(path, name), childOf(real, name))) continue
    bytes += name.length
    visible.push(name)
    if (visible.length > mostNames || bytes > mostNameBytes) return { folder: path, names: undefined }
  }
  return visible.length === 0 ? undefined : { folder: path, names: visible }
}

/** Whether `real`, or a folder above it, is among the changed names of its folder: it may have gone. */
export function isOnChangedPath(folders: ReadonlyMap<string, ChangedNames>, real: string): boolean {
  for (let place = real; place !== dirname(place); place = dirname(place))
    if (folders.get(dirname(place))?.has(nameOf(place as UserPath))) return true
  return false
}

/** The deepest folder that contains all these folders. */
export function commonFolder(folders: readonly UserPath[]): UserPath {
  const [first = '/', ...rest] = folders
  let names = first.split('/').slice(1)
  for (const folder of rest) {
    const others = folder.split('/').slice(1)
    const end = names.findIndex((name, n) => name !== others[n])
    if (end !== -1) names = names.slice(0, end)
  }
  return `/${names.join('/')}` as UserPath
}
