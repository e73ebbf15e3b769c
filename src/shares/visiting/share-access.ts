import type { ShareOffer } from '#contract/shares.ts'
import type { Sorting } from '#contract/users.ts'
import type { Principal } from '#src/access/principal.ts'
import { refusal } from '#src/access/share-rights.ts'
import type { LoginLimiter } from '#src/auth/login-limiter.ts'
import { verifyPassword } from '#src/core/access/passwords.ts'
import type { Clock } from '#src/core/clock.ts'
import { networkOf, plainAddress } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import { type Change, noChanges } from '#src/files/changes/change.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { exists } from '#src/files/jail/locate.ts'
import { namingPath } from '#src/files/paths/path-access.ts'
import {
  childOf,
  decodePath,
  type NormalizedPath,
  nameOf,
  parentOf,
  rootPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import { isOpen } from '../conditions.ts'
import { isShareOf, rightsOf } from '../share-record.ts'
import type { Shares } from '../shares.ts'
import type { Client, LinkUse } from '../use/link-use.ts'
import { createTickets, type Visit } from './tickets.ts'
import { type Current, fileVisitor, folderVisitor, type Shared } from './visitor.ts'

/** The data of a visitor's request. */
export interface Visitor {
  address: string
  /** The password that the visitor typed; undefined: none. */
  password: string | undefined
  /** The token from an earlier unlock. */
  token: string | undefined
  /** The order of a folder's items; undefined: by name. */
  sorting?: Sorting | undefined
  /** The ticket of the visit, from an earlier answer. Undefined: none. */
  visit?: string | undefined
  /** The operation of the request. Undefined: it changes nothing. */
  change?: Change | undefined
}

/** An open share: the visitor's access, the requested path, and the token that unlocks the share again. */
export interface OpenShare {
  person: Principal
  typed: NormalizedPath
  token: string | undefined
  share: ShareRecord
  /** The address of the visitor. */
  address: string
  /** Returns the path in the scope of the owner. */
  pathOfOwner(path: UserPath): UserPath
  /** Data about the share for the visitor. Undefined: the share has no conditions and only allows downloads. */
  offer: ShareOffer | undefined
  visit: Visit
}

/**
 * Opens shares for visitors. A visitor has the owner's access, with no more permissions than the rights of the share. The
 * same services serve visitors, and the owner's current rules apply.
 */
export function createShareAccess(options: {
  shares: Shares
  use: LinkUse
  attempts: LoginLimiter
  clock: Clock
  key: () => Buffer
  /** The current user; undefined when the account was deleted. */
  ownerOf: (userId: number) => Principal | undefined
}) {
  const { shares, use, attempts, clock, key, ownerOf } = options
  const tickets = createTickets(clock, key)

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
    if (token && tickets.isTicket(share, token)) return { share, token }
    if (password === undefined) throw new Problem('share.password')
    await attempts.attempt(`SHARE ${share.hash}`, address, async () => {
      if (!(await verifyPassword(share.password, password))) throw new Problem('share.password')
    })
    const current = await shares.renewHash(share, password)
    return { share: current, token: tickets.unlocking(current) }
  }

  /**
   * The share and its owner as they are now.
   *
   * @throws Problem `share.unknown`, `share.password`, `auth.forbidden`.
   */
  function current({ hash, password: passwordHash, userID }: ShareRecord): Current {
    const share = shares.find(hash)
    const owner = ownerOf(userID)
    if (!share || !owner || !isOpen(share, clock())) throw new Problem('share.unknown')
    // After a change of the password the visitor must unlock the share again.
    if (share.password !== passwordHash) throw new Problem('share.password')
    // Visitors must not learn which permission the owner lacks.
    const needed = rightsOf(share) === 'upload' ? 'upload' : 'download'
    if (refusal(owner.user.perm, needed)) throw new Problem('auth.forbidden')
    return { share, owner }
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
      if (!found || !isOpen(found, clock()) || !ownerOf(found.userID)) throw new Problem('share.unknown')
      const { share, token } = await unlock(found, visitor)
      const client = clientOf(visitor)
      await use.visit(share, client)
      // Read after the waits: the share may have been deleted meanwhile.
      const { owner } = current(share)
      const jail = await owner.jail().catch(throwWithoutPath)
      await using opened = await openPath(jail, share.path as never).catch(throwWithoutPath)
      if (!isShareOf(share, opened.stats)) throw new Problem('share.unknown')
      const isFolder = opened.stats.isDirectory()
      const base = baseOf(opened.path, isFolder)
      const pathOfOwner = (path: UserPath) => joinPaths(base, path)
      const made: Shared = {
        opened,
        jail,
        base,
        page: `/share/${hash}`,
        payer: { key: `network ${client.network}`, share: share.hash },
        sorting: visitor.sorting ?? byName,
        change: visitor.change ?? noChanges,
        current: () => current(share),
        beginDownload: ({ path, ...download }) =>
          use.download(current(share).share, { ...client, ...download, path: pathOfOwner(path) }),
      }
      const typed = isFolder
        ? decodePath(inside)
        : { path: childOf(rootPath, nameOf(opened.path)), asFolder: false }
      const person = isFolder ? folderVisitor(made) : fileVisitor(made)
      return {
        person,
        typed,
        token,
        share,
        address: client.address,
        pathOfOwner,
        offer: offerOf(share, use),
        visit: tickets.visitOf(share, visitor.visit),
      }
    },
  }
}

function clientOf({ address }: Pick<Visitor, 'address'>): Client {
  return { address: plainAddress(address), network: networkOf(address) }
}

/** The path of the folder that is the visitor's root; empty: the scope of the owner. */
function baseOf(shared: UserPath, isFolder: boolean): UserPath | '' {
  const base = isFolder ? shared : parentOf(shared)
  return base === rootPath ? '' : base
}

/** The path that a visitor's path has below `base`. */
function joinPaths(base: UserPath | '', path: UserPath): UserPath {
  return (path === rootPath && base !== '' ? base : `${base}${path}`) as UserPath
}

/** The latest time that a `Date` can have (ECMA-262 §21.4.1.1). */
const latestMs = 8.64e15

/** Data about a share for its visitors. Undefined: it has no conditions and only allows downloads. */
function offerOf(share: ShareRecord, use: Pick<LinkUse, 'left'>): ShareOffer | undefined {
  const { conditions = {}, expire } = share
  const rights = rightsOf(share)
  if (rights === 'download' && !share.conditions) return undefined
  const { title, message, askName, types } = conditions
  const { files, size } = use.left(share)
  return {
    rights,
    ...(title && { title }),
    ...(message && { message }),
    ...(askName && { askName }),
    ...(types && { types }),
    ...(size !== undefined && { maxFileSize: size }),
    ...(files !== undefined && { filesLeft: files }),
    ...(expire !== 0 && expire * 1000 <= latestMs && { ends: new Date(expire * 1000).toISOString() }),
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

const byName: Sorting = { by: 'name', asc: false }
