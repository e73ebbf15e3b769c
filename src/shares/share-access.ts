import { dirname } from 'node:path'
import type { Sorting } from '#contract/users.ts'
import type { Principal } from '#src/access/principal.ts'
import { refusal } from '#src/access/share-rights.ts'
import type { LoginLimiter } from '#src/auth/login-limiter.ts'
import { verifyPassword } from '#src/core/access/passwords.ts'
import { type Clock, isFuture } from '#src/core/clock.ts'
import type { QuotaOwner } from '#src/core/concurrency/semaphore.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem, passes, type Recheck } from '#src/core/problem.ts'
import { decodeJson, encodeJson, equalsInConstantTime, hmac } from '#src/core/secret.ts'
import { noChanges } from '#src/files/changes/change.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { exists } from '#src/files/jail/locate.ts'
import { namingPath } from '#src/files/paths/path-access.ts'
import type { Jail, OpenPath, SafePath } from '#src/files/paths/scope.ts'
import {
  childOf,
  decodePath,
  type NormalizedPath,
  nameOf,
  parentOf,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { noPermissions } from '#src/state/defaults.ts'
import type { ShareRecord, UserRecord } from '#src/state/state.ts'
import { isShareOf, type Shares } from './shares.ts'

/** The data of a visitor's request. */
export interface Visitor {
  address: string
  /** The password that the visitor typed; undefined: none. */
  password: string | undefined
  /** The token from an earlier unlock. */
  token: string | undefined
  /** The order of a folder's items; undefined: by name. */
  sorting?: Sorting | undefined
}

/** An open share: the visitor's access, the requested path, and the token that unlocks the share again. */
export interface OpenShare {
  person: Principal
  typed: NormalizedPath
  token: string | undefined
}

const unlockedMs = 60 * 60_000

/**
 * Opens shares for visitors. A visitor reads with the owner's access, but with the download permission only. The same
 * services serve visitors, and the owner's current rules apply.
 */
export function createShareAccess(options: {
  shares: Shares
  attempts: LoginLimiter
  clock: Clock
  key: () => Buffer
  /** The current user; undefined when the account was deleted. */
  ownerOf: (userId: number) => Principal | undefined
}) {
  const { shares, attempts, clock, key, ownerOf } = options

  function ticketOf({ hash, password: passwordHash }: ShareRecord, until: number): string {
    const body = encodeJson({ hash, until })
    // The signature includes the password's hash, so a token is invalid after a change of the password.
    return `${body}.${hmac(`share.${body}.${passwordHash}`, key())}`
  }

  function isTicket(share: ShareRecord, text: string): boolean {
    const { until } = (decodeJson(text.split('.')[0] ?? '') ?? {}) as { until?: unknown }
    if (typeof until !== 'number' || until <= clock() || isFuture(until - unlockedMs, clock())) return false
    return equalsInConstantTime(text, ticketOf(share, until))
  }

  /**
   * Checks the token or the password. Returns the share as it is now, because the right password may replace its hash.
   *
   * @throws Problem `share.password`, `auth.limited`.
   */
  async function unlock(
    share: ShareRecord,
    visitor: Visitor,
  ): Promise<Pick<OpenShare, 'token'> & { share: ShareRecord }> {
    if (share.password === '') return { share, token: undefined }
    const { password, address, token } = visitor
    if (token && isTicket(share, token)) return { share, token }
    if (password === undefined) throw new Problem('share.password')
    await attempts.attempt(`SHARE ${share.hash}`, address, async () => {
      if (!(await verifyPassword(share.password, password))) throw new Problem('share.password')
    })
    const current = await shares.renewHash(share, password)
    return { share: current, token: ticketOf(current, clock() + unlockedMs) }
  }

  /** The owner of a share, if it still exists. @throws Problem `share.unknown`, `share.password`, `auth.forbidden`. */
  function openOwner({ hash, password: passwordHash, userID }: ShareRecord): Principal {
    const now = shares.find(hash)
    const owner = ownerOf(userID)
    if (!now || !owner) throw new Problem('share.unknown')
    // After a change of the password the visitor must unlock the share again.
    if (now.password !== passwordHash) throw new Problem('share.password')
    // Visitors must not learn which permission the owner lacks.
    if (refusal(owner.user.perm)) throw new Problem('auth.forbidden')
    return owner
  }

  return {
    /**
     * Opens the share with this id.
     *
     * @param inside the rest of the address after the id, still encoded; ignored for a shared file
     * @throws Problem `share.unknown` when the share is expired or its file was deleted or replaced; `share.password`;
     *   `auth.forbidden` when the owner may no longer share; `path.forbidden` by the owner's rules.
     */
    async open(hash: string, inside: string, visitor: Visitor): Promise<OpenShare> {
      const found = shares.find(hash)
      if (!found || !ownerOf(found.userID)) throw new Problem('share.unknown')
      const { share, token } = await unlock(found, visitor)
      // Read after the password check, which may have waited: the share may have been deleted meanwhile.
      const owner = openOwner(share)
      const jail = await owner.jail().catch(throwWithoutPath)
      await using opened = await openPath(jail, share.path as never).catch(throwWithoutPath)
      if (!isShareOf(share, opened.stats)) throw new Problem('share.unknown')
      const payer = { key: `network ${networkOf(visitor.address)}`, share: hash }
      const { sorting = byName } = visitor
      const shared = { opened, sorting, page: `/share/${hash}`, payer, recheck: () => void openOwner(share) }
      if (!opened.stats.isDirectory()) {
        const typed = { path: childOf(rootPath, nameOf(opened.path)), asFolder: false }
        return { person: fileVisitor(owner, jail, shared), typed, token }
      }
      return { person: folderVisitor(owner, jail, shared), typed: decodePath(inside), token }
    },
  }
}

/**
 * Resolves the path of a download. After the id, the address may contain the shared folder's own name for readability.
 * That means the whole folder, unless the folder has an entry with this name.
 */
export async function resolveDownloadPath({ person, typed }: OpenShare): Promise<NormalizedPath> {
  const isOwnName = Boolean(person.rootName) && typed.path === childOf(rootPath, person.rootName ?? '')
  if (!isOwnName || (await exists(await person.jail(), typed.path))) return typed
  return { path: rootPath, asFolder: true }
}

/** Rethrows an error without the owner's path: the error names the root folder, which is all that a visitor sees. */
function throwWithoutPath(error: unknown): never {
  if (error instanceof Problem && ['path.unknown', 'path.outside', 'path.dangling'].includes(error.code)) {
    throw new Problem('share.unknown')
  }
  return namingPath(rootPath)(error)
}

interface Shared {
  opened: OpenPath
  page: string
  payer: QuotaOwner
  sorting: Sorting
  /** Checks that the share still exists and that its owner may still share. */
  recheck: Recheck
}

/** Access to a shared folder as the root. Rules still apply to the owner's paths. */
function folderVisitor(owner: Principal, jail: Jail, { opened, ...shared }: Shared): Principal {
  const base = opened.path === rootPath ? '' : opened.path
  const allows: Jail['allows'] = (path, folds) =>
    jail.allows(path === rootPath ? opened.path : (`${base}${path}` as never), folds)
  return visitorOf(owner, {
    ...shared,
    base,
    top: nameOf(opened.path),
    jail: { root: opened.real, allows, secret: jail.secret },
  })
}

/** Access to one shared file, without other files of its folder. */
function fileVisitor(owner: Principal, jail: Jail, { opened, ...shared }: Shared): Principal {
  const only = childOf(rootPath, nameOf(opened.path))
  const allows: Jail['allows'] = (path, folds) => path === only && jail.allows(opened.path, folds)
  // The real path of the open file is proven to be in the owner's jail, so its parent folder is safe.
  const root = dirname(opened.real) as SafePath
  const base = parentOf(opened.path)
  return visitorOf(owner, {
    ...shared,
    top: '',
    base: base === rootPath ? '' : base,
    jail: { root, allows, secret: jail.secret },
  })
}

function visitorOf(
  owner: Principal,
  {
    page,
    payer,
    sorting,
    base,
    jail,
    top,
    recheck,
  }: Omit<Shared, 'opened'> & { base: string; jail: Jail; top: string },
): Principal {
  const rules = owner.rules.map((rule) => ({ ...rule, base }))
  const check: Principal['check'] = (paths, folds) => {
    recheck()
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
      return { ...owner.user, perm: readOnly, sorting, rememberViews: false }
    },
    rules,
    change: noChanges,
    jail: async () => jail,
    quotaOwner: payer,
    check,
    hasAccess: (paths, folds) => passes(() => check(paths, folds)),
    pageUrl: page,
    rootName: top,
  }
}

const byName: Sorting = { by: 'name', asc: false }
const readOnly = { ...noPermissions, download: true }
