import { Problem } from '#src/core/problem.ts'
import {
  childOf,
  decodePath,
  isWithin,
  parentOf,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'

const mostFiles = 10_000

/**
 * The paths that `files` selects in `folder` (contract/compatibility.md#downloads-and-archives): separated by commas, each percent-encoded, relative. Nothing
 * selected means the folder itself. What lies in another selected folder is not told twice.
 *
 * @throws Problem `path.invalid`; `request.invalid` for more than 10,000.
 */
export function selectedPaths(folder: UserPath, files: string | undefined): UserPath[] {
  const items = (files ?? '').split(',').filter((item) => item !== '')
  if (items.length > mostFiles) {
    throw new Problem('request.invalid', { field: 'files', reason: `names more than ${mostFiles} files` })
  }
  if (items.length === 0) return [folder]
  const paths = items.map((item) => {
    // Normalised before it is joined: no `..` climbs above the folder.
    const { path } = decodePath(item)
    return path === rootPath ? folder : childOf(folder, path.slice(1))
  })
  return withoutNested(paths)
}

/** Sorted, the paths below a folder follow it directly, once `/` sorts before every other character. */
function withoutNested(paths: UserPath[]): UserPath[] {
  const key = (path: string) => path.replaceAll('/', '\u0000')
  const sorted = [...new Set(paths)].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  const kept = new Set<UserPath>()
  let last: UserPath | undefined
  for (const path of sorted) {
    if (last !== undefined && isWithin(path, last)) continue
    kept.add(path)
    last = path
  }
  return [...kept]
}

/** The deepest folder that all `paths` lie in; never one of them itself, unless that is the root. */
export function commonFolder(paths: readonly UserPath[]): UserPath {
  const [first = rootPath, ...rest] = paths
  let common = parentOf(first)
  for (const path of rest) while (!isWithin(path, common)) common = parentOf(common)
  return common
}
