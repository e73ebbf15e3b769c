import type { Stats } from 'node:fs'
import type { ShareRights, ShareView } from '#contract/shares.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { UseRow } from './use/link-rows.ts'

/** What visitors may do. */
export function rightsOf({ rights = 'download' }: Pick<ShareRecord, 'rights'>): ShareRights {
  return rights
}

/** Whether visitors send files. */
export function receives(share: Pick<ShareRecord, 'rights'>): boolean {
  return ['upload', 'upload-view', 'edit'].includes(rightsOf(share))
}

/** The identity of a file or folder on the disk, independent of its name. */
export function fileIdentityOf({ dev, ino, birthtimeMs }: Stats): ShareRecord['thing'] {
  return { dev, ino, birth: birthtimeMs }
}

/**
 * Whether a share was created for this file or folder. The pair of inode and creation time is unique. The device number
 * may change when disks are found in another order, so it counts only if the creation time is unknown.
 */
export function isShareOf({ thing }: Pick<ShareRecord, 'thing'>, { dev, ino, birthtimeMs }: Stats): boolean {
  return thing.ino === ino && thing.birth === birthtimeMs && (thing.birth !== 0 || thing.dev === dev)
}

/** A share as its owner sees it, with how it was used. */
export function viewOf(
  share: ShareRecord,
  { downloads, visitors, visits, files, bytes, last }: Readonly<UseRow>,
): ShareView {
  const { hash, path, userID, expire, created, password: passwordHash, conditions } = share
  return {
    hash,
    path,
    userID,
    expire,
    created,
    hasPassword: passwordHash !== '',
    rights: rightsOf(share),
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
