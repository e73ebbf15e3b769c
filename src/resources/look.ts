import type { FileView, Listing } from '#contract/resources.ts'
import type { Person } from '#src/auth/actor.ts'
import { onPath } from '#src/core/errno.ts'
import { extensionOf, goMode, modifiedOf, pageUrl } from '#src/files/entry.ts'
import type { Held } from '#src/files/jail.ts'
import type { Lister } from '#src/files/lister.ts'
import { readText } from '#src/files/read-text.ts'
import type { Room } from '#src/files/room.ts'
import { nameOf, rootPath, type UserPath } from '#src/files/user-path.ts'
import { refusal } from './resources.policy.ts'

/**
 * The listing of a held folder, as the JSON of a `Listing`.
 *
 * @param path the folder as it was asked for
 * @param language whose order the names are in
 */
export async function listingOf(
  lister: Lister,
  actor: Person,
  { folder, path, language }: { folder: Held; path: UserPath; language: string },
): Promise<Buffer> {
  const jail = await actor.jail()
  const { sorting, hideDotfiles } = actor.user
  const { address, real } = folder
  const { root, secret } = jail
  const { page, top } = actor
  const { items, numDirs, numFiles } = await lister
    .list({
      address,
      real,
      root,
      secret,
      path,
      rules: actor.rules,
      hideDotfiles,
      sorting,
      language,
      ...(page && { page }),
    })
    .catch(onPath(path))
  const facts: Omit<Listing, 'items'> = {
    kind: 'listing',
    ...factsOf(folder, path, { page, top }),
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
  const { type, content } = await readText(file, room)
  const { perm } = actor.user
  const facts = factsOf(file, path, actor)
  if (type !== 'text') return { kind: 'preview', ...facts, type }
  const mayRead = refusal(perm, 'read') === undefined
  return {
    kind: 'editor',
    ...facts,
    type: refusal(perm, 'save') ? 'textImmutable' : 'text',
    ...(content && mayRead && { content }),
  }
}

function factsOf({ stats }: Held, path: UserPath, { page, top }: Pick<Person, 'page' | 'top'>) {
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
    isSymlink: false,
  }
}
