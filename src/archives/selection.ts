import { Problem } from '#src/core/problem.ts'
import { childOf, decodePath, isWithin, rootPath, type UserPath } from '#src/files/paths/user-path.ts'

const maxFiles = 10_000

/**
 * The paths that `files` selects in `folder` (contract/compatibility.md#downloads-and-archives): comma-separated,
 * percent-encoded, relative. An empty selection selects the folder itself. Entries in another selected folder are not
 * repeated.
 *
 * @throws Problem `path.invalid`; `request.invalid` for more than 10,000.
 */
export function selectedPaths(folder: UserPath, files: string | undefined): UserPath[] {
  const items = (files ?? '').split(',').filter((item) => item !== '')
  if (items.length > maxFiles) {
    throw new Problem('request.invalid', { field: 'files', reason: `lists more than ${maxFiles} files` })
  }
  if (items.length === 0) return [folder]
  const paths = items.map((item) => {
    // Normalized before it is joined, so that no `..` leaves the folder.
    const { path } = decodePath(item)
    return path === rootPath ? folder : childOf(folder, path.slice(1))
  })
  return withoutNested(paths)
}

/**
 * Removes paths inside other paths. If `/` sorts before every other character, the paths in a folder follow it
 * directly.
 */
function withoutNested(paths: UserPath[]): UserPath[] {
  // Each key is made once: a sort compares each path many times, and ten thousand long ones would hold up the server.
  const keyed = [...new Set(paths)].map((path) => ({ path, key: path.replaceAll('/', '\u0000') }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1))
  const outermost = new Set<UserPath>()
  let last: UserPath | undefined
  for (const { path } of keyed) {
    if (last !== undefined && isWithin(path, last)) continue
    outermost.add(path)
    last = path
  }
  return [...outermost]
}
