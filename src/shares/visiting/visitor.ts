import { dirname } from 'node:path'
import type { Sorting } from '#contract/users.ts'
import type { Principal, Uploader, UploadSender } from '#src/access/principal.ts'
import { meaningOf, visitorPermissions } from '#src/access/share-rights.ts'
import { compileRules, denyExcept, type ScopedRule } from '#src/core/access/rules.ts'
import type { Pace } from '#src/core/concurrency/pace.ts'
import type { QuotaOwner } from '#src/core/concurrency/semaphore.ts'
import { Problem, passes } from '#src/core/problem.ts'
import type { Change } from '#src/files/changes/change.ts'
import type { Jail, OpenPath, SafePath } from '#src/files/paths/scope.ts'
import { childOf, nameOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord, UserRecord } from '#src/state/state.ts'

/** A share and its owner as they are now. */
export interface Current {
  share: ShareRecord
  owner: Principal
}

/** A share that a visitor has opened. */
export interface Shared {
  opened: OpenPath
  /** The only paths in the scope of the owner that are shared. Undefined: all of what is opened. */
  only?: readonly UserPath[] | undefined
  sender: UploadSender
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
  pace: Pace | undefined
}

/** Access to a shared folder as the root. Rules still apply to the owner's paths. */
export function folderVisitor({ opened, jail, only, ...shared }: Shared): Uploader {
  const limits = only ? [denyExcept(only)] : []
  const isShared = compileRules(limits)
  const allows: Jail['allows'] = (path, folds) => {
    const full = path === rootPath ? opened.path : (`${shared.base}${path}` as UserPath)
    return isShared(full, folds) && jail.allows(full, folds)
  }
  return visitorOf({
    ...shared,
    limits,
    top: nameOf(opened.path),
    jail: { root: opened.real, allows, secret: jail.secret },
  })
}

/** Access to one shared file, without other files of its folder. */
export function fileVisitor({ opened, jail, ...shared }: Shared): Uploader {
  const only = childOf(rootPath, nameOf(opened.path))
  const allows: Jail['allows'] = (path, folds) => path === only && jail.allows(opened.path, folds)
  // The real path of the open file is proven to be in the owner's jail, so its parent folder is safe.
  const root = dirname(opened.real) as SafePath
  return visitorOf({
    ...shared,
    top: '',
    limits: [],
    jail: { root, allows, secret: jail.secret },
  })
}

type VisitorParts = Omit<Shared, 'opened' | 'only'> & {
  /** Rules that come after those of the owner. */
  limits: readonly ScopedRule[]
  top: string
}

function visitorOf({
  page,
  payer,
  sorting,
  change,
  current,
  beginDownload,
  pace,
  sender,
  base,
  limits,
  jail,
  top,
}: VisitorParts): Uploader {
  const { owner } = current()
  const rules = [...owner.rules, ...limits].map((rule) => ({ ...rule, base }))
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
      const perm = visitorPermissions(now.owner.user.perm, now.share)
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
    pace,
    sender,
    pageUrl: page,
    rootName: top,
  }
}

/** Texts are hidden if downloads are limited, because a text in a response does not count as a download. */
function seenIn(share: ShareRecord): Principal['sees'] {
  return meaningOf(share).sees ?? (share.conditions?.maxDownloads ? 'no-text' : undefined)
}
