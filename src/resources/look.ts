import type { FileView, Listing } from '#contract/resources.ts'
import type { Person } from '#src/auth/actor.ts'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { extensionOf, goMode, modifiedOf, pageUrl } from '#src/files/entry.ts'
import type { Held, Jail } from '#src/files/jail.ts'
import type { Lister } from '#src/files/lister.ts'
import { locate } from '#src/files/locate.ts'
import { readText } from '#src/files/read-text.ts'
import type { Room } from '#src/files/room.ts'
import { nameOf, rootPath, type TypedPath, type UserPath } from '#src/files/user-path.ts'
import { refusal } from './resources.policy.ts'

/**
 * The listing of a held folder, as the JSON of a `Listing`.
 *
 * @param typed the folder as it was asked for, also with a closing slash (reference 3.1)
 * @param language whose order the names are in
 */
export async function listingOf(
  lister: Lister,
  actor: Person,
  { folder, typed, language }: { folder: Held; typed: TypedPath; language: string },
): Promise<Buffer> {
  const { path, asFolder } = typed
  const jail = await actor.jail()
  const { sorting, hideDotfiles } = actor.user
  const { address, real } = folder
  const { root, secret } = jail
  const { page } = actor
  const { rules } = actor
  const task = { address, real, root, secret, path, rules, hideDotfiles, sorting, language }
  const { items, numDirs, numFiles } = await lister
    .list({ ...task, ...(page && { page }) }, () => actor.check())
    .catch(onPath(path))
  const facts: Omit<Listing, 'items'> = {
    kind: 'listing',
    ...(await factsOf(folder, path, actor)),
    path: asFolder && path !== rootPath ? `${path}/` : path,
    type: '',
    numDirs,
    numFiles,
    sorting,
  }
  // The items come as JSON already; only the frame around them is written here.
  const frame = JSON.stringify(facts)
  return Buffer.concat([Buffer.from(`${frame.slice(0, -1)},"items":`), items, Buffer.from('}')])
}

/** A held file, with its text when it is text and may be read. @throws what `room` does for a large text. */
export async function viewOf(
  actor: Person,
  file: Held,
  { path, room }: { path: UserPath; room: Room },
): Promise<FileView> {
  const { type, content } = await readText(file, (bytes) => room(bytes, [path, file.path]))
  const { perm } = actor.user
  const facts = await factsOf(file, path, actor)
  if (type !== 'text') return { kind: 'preview', ...facts, type }
  const mayRead = refusal(perm, 'read') === undefined
  return {
    kind: 'editor',
    ...facts,
    type: refusal(perm, 'save') ? 'textImmutable' : 'text',
    ...(content && mayRead && { content }),
  }
}

async function factsOf(held: Held, path: UserPath, { page, top, jail }: Person) {
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
 * Whether the last name itself is a link, and not one on the way to it. The path was allowed already; of a way that leads
 * out and in again nothing is told.
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
