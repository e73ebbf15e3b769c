import { dirname } from 'node:path'
import type { ShareRights } from '#contract/shares.ts'
import type { Sorting } from '#contract/users.ts'
import type { Principal } from '#src/access/principal.ts'
import { visitorPermissions } from '#src/access/share-rights.ts'
import type { QuotaOwner } from '#src/core/concurrency/semaphore.ts'
import { Problem, passes } from '#src/core/problem.ts'
import type { Change } from '#src/files/changes/change.ts'
import type { Jail, OpenPath, SafePath } from '#src/files/paths/scope.ts'
import { childOf, nameOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord, UserRecord } from '#src/state/state.ts'
import { rightsOf } from '../share-record.ts'

/** A share and its owner as they are now. */
export interface Current {
  share: ShareRecord
  owner: Principal
}

/** A share that a visitor has opened. */
export interface Shared {
  opened: OpenPath
  /** The jail of the owner. */
  jail: Jail
  /** The path, in the scope of the owner, of the folder that is the visitor's root; empty: the scope itself. */
  base: string
  page: string
  payer: QuotaOwner
  sorting: Sorting
  change: Change
  /** Returns the share and its owner as they are now. Throws when visitors may not use the share any more. */
  current(): Current
  beginDownload: NonNullable<Principal['beginDownload']>
}

/** Access to a shared folder as the root. Rules still apply to the owner's paths. */
export function folderVisitor({ opened, jail, ...shared }: Shared): Principal {
  const allows: Jail['allows'] = (path, folds) =>
    jail.allows(path === rootPath ? opened.path : (`${shared.base}${path}` as never), folds)
  return visitorOf({
    ...shared,
    top: nameOf(opened.path),
    jail: { root: opened.real, allows, secret: jail.secret },
  })
}

/** Access to one shared file, without other files of its folder. */
export function fileVisitor({ opened, jail, ...shared }: Shared): Principal {
  const only = childOf(rootPath, nameOf(opened.path))
  const allows: Jail['allows'] = (path, folds) => path === only && jail.allows(opened.path, folds)
  // The real path of the open file is proven to be in the owner's jail, so its parent folder is safe.
  const root = dirname(opened.real) as SafePath
  return visitorOf({
    ...shared,
    top: '',
    jail: { root, allows, secret: jail.secret },
  })
}

function visitorOf({
  page,
  payer,
  sorting,
  change,
  current,
  beginDownload,
  base,
  jail,
  top,
}: Omit<Shared, 'opened'> & { top: string }): Principal {
  const { owner } = current()
  const rules = owner.rules.map((rule) => ({ ...rule, base }))
  const check: Principal['check'] = (paths, folds) => {
    current()
    try {
      const full = paths?.map((path) => `${base}${path}` as UserPath)
      owner.check(full, folds)
    } catch (error) {
      const isRule = error instanceof Problem && error.code === 'path.forbidden'
      // The error has the visitor's path, because paths above the shared folder are private.
      throw isRule ? new Problem('path.forbidden', { path: paths?.[0] ?? '' }) : error
    }
  }
  return {
    get user(): UserRecord {
      const now = current()
      const perm = visitorPermissions(now.owner.user.perm, rightsOf(now.share))
      return { ...now.owner.user, perm, sorting, rememberViews: false }
    },
    get sees() {
      return seenIn(current().share)
    },
    rules,
    change,
    jail: async () => jail,
    quotaOwner: payer,
    check,
    hasAccess: (paths, folds) => passes(() => check(paths, folds)),
    beginDownload,
    pageUrl: page,
    rootName: top,
  }
}

const seen: Partial<Record<ShareRights, Principal['sees']>> = { view: 'previews', upload: 'nothing' }

/** Texts are hidden if downloads are limited, because a text in a response does not count as a download. */
function seenIn(share: ShareRecord): Principal['sees'] {
  return seen[rightsOf(share)] ?? (share.conditions?.maxDownloads ? 'no-text' : undefined)
}
