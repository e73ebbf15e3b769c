import type { Stats } from 'node:fs'
import type { ShareRights, ShareView } from '#contract/shares.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { UseRow } from './use/link-rows.ts'

/** What visitors may do. */
export function rightsOf({ rights = 'download' }: Pick<ShareRecord, 'rights'>): ShareRights {
  return rights
}

/** One shared file or folder: the share itself, or one of several. */
export type SharedItem = Pick<ShareRecord, 'path' | 'thing' | 'trashed'>

/** What is shared: the resource of the share, or its several resources. */
export function itemsOf(share: ShareRecord): readonly SharedItem[] {
  return share.items ?? [share]
}

/** The identity of a file or folder on the disk, independent of its name. */
export function fileIdentityOf({ dev, ino, birthtimeMs }: Stats): ShareRecord['thing'] {
  return { dev, ino, birth: birthtimeMs }
}

/**
 * Whether this file or folder was shared. The pair of inode and creation time is unique. The device number may change
 * when disks are found in another order, so it counts only if the creation time is unknown.
 */
export function isThing({ thing }: Pick<SharedItem, 'thing'>, stats: Stats): boolean {
  return isSameThing(thing, fileIdentityOf(stats))
}

/** Whether both identify the same file or folder, as `isThing` does. */
export function isSameThing(one: ShareRecord['thing'], other: ShareRecord['thing']): boolean {
  return one.ino === other.ino && one.birth === other.birth && (one.birth !== 0 || one.dev === other.dev)
}

/** Whether a share is of this file or folder, among others or alone. */
export function isShareOf(share: ShareRecord, stats: Stats): boolean {
  return itemsOf(share).some((item) => isThing(item, stats))
}

/**
 * A share as its owner sees it, with how it was used.
 *
 * @param nameOf the name of the user with this id; undefined when the account does not exist
 */
export function viewOf(
  share: ShareRecord,
  { downloads, visitors, visits, files, bytes, last }: Readonly<UseRow>,
  nameOf: (userId: number) => string | undefined,
): ShareView {
  const { hash, path, userID, expire, created, password: passwordHash, conditions } = share
  const { items, people, cover, isFolder } = share
  return {
    hash,
    path,
    userID,
    expire,
    created,
    hasPassword: passwordHash !== '',
    rights: rightsOf(share),
    ...(items || isFolder !== undefined ? { isDir: isFolder ?? true } : {}),
    ...(items && { paths: items.filter(({ trashed }) => !trashed).map((item) => item.path) }),
    ...(people && { people: people.flatMap((id) => nameOf(id) ?? []) }),
    ...(cover && { cover: cover.path }),
    ...conditions,
    used: {
      downloads,
      visitors,
      visits,
      files,
      bytes,
      ...(last > 0 && { last: new Date(last).toISOString() }),
    },
  }
}
