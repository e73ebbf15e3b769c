import type { FileView } from '#contract/resources.ts'
import { denialOf } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { locate } from '#src/files/jail/locate.ts'
import { extensionOf, goMode, modifiedOf, pageUrl } from '#src/files/listing/entry.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { nameOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { readText } from '#src/files/reading/read-text.ts'
import type { MemoryBudget } from '#src/files/space/memory-budget.ts'

/**
 * Describes an open file, and includes its text if it is a text that the user may download or edit. @throws the
 * errors of `room` for a large text.
 */
export async function viewOf(
  actor: Principal,
  file: OpenPath,
  { path, room }: { path: UserPath; room: MemoryBudget },
): Promise<FileView> {
  const { type, content } = await readText(file, (bytes) => room.text(bytes, [path, file.path]))
  const { perm } = actor.user
  const facts = await commonFieldsOf(file, path, actor)
  if (type !== 'text') return { kind: 'preview', ...facts, type }
  const mayRead = denialOf(perm, 'text') === undefined
  return {
    kind: 'editor',
    ...facts,
    type: denialOf(perm, 'save') ? 'textImmutable' : 'text',
    ...(content && mayRead && { content }),
  }
}

/** The properties that every file and folder has. */
export async function commonFieldsOf(
  held: OpenPath,
  path: UserPath,
  { pageUrl: page, rootName: top, jail }: Principal,
) {
  const { stats } = held
  const isDir = stats.isDirectory()
  const name = path === rootPath ? (top ?? '') : nameOf(path)
  return {
    name,
    path,
    url: pageUrl(path, isDir, page),
    size: stats.size,
    extension: isDir ? '' : extensionOf(name),
    modified: modifiedOf(stats),
    mode: goMode(stats),
    isDir,
    isSymlink: held.path !== path && (await isLink(await jail(), path)),
  }
}

/**
 * Whether the last name of the path is a symbolic link; links earlier in the path do not count. Access to the path
 * has been checked. Returns false for a path that leaves the scope and enters it again.
 */
async function isLink(jail: Jail, path: UserPath): Promise<boolean> {
  try {
    await using name = await locate({ ...jail, allows: () => true }, path)
    return name.stats?.isSymbolicLink() ?? false
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
