import type { Stats } from 'node:fs'
import type { ShareOffer, SharingPolicy } from '#contract/shares.ts'
import type { Sorting } from '#contract/users.ts'
import type { Principal, Uploader } from '#src/access/principal.ts'
import { isUsable, meaningOf } from '#src/access/share-rights.ts'
import type { LoginLimiter } from '#src/auth/login-limiter.ts'
import type { Clock } from '#src/core/clock.ts'
import { networkOf, plainAddress } from '#src/core/network.ts'
import { Problem, passes } from '#src/core/problem.ts'
import { type Change, noChanges } from '#src/files/changes/change.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { exists } from '#src/files/jail/locate.ts'
import { namingPath } from '#src/files/paths/path-access.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
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
import { presentItems } from '../items.ts'
import { isInPolicy } from '../policy.ts'
import { isThing } from '../share-record.ts'
import type { Shares } from '../shares.ts'
import type { Client, LinkUse } from '../use/link-use.ts'
import { createPaces } from '../use/paces.ts'
import { type Members, memberSession } from './members.ts'
import { offerOf } from './offer.ts'
import { createTickets, type Visit } from './tickets.ts'
import { createUnlock, type Proofs } from './unlock.ts'
import { type Current, fileVisitor, folderVisitor, type Shared } from './visitor.ts'

/** The data of a visitor's request. */
export interface Visitor extends Proofs {
  /** The order of a folder's items; undefined: by name. */
  sorting?: Sorting | undefined
  /** The ticket of the visit, from an earlier answer. Undefined: none. */
  visit?: string | undefined
  /** The operation of the request. Undefined: it changes nothing. */
  change?: Change | undefined
}

/** An open share: the visitor's access, the requested path, and the token that unlocks the share again. */
export interface OpenShare {
  person: Uploader
  owner: Principal
  /** The cover picture, in the scope of the owner. Undefined: there is none. */
  cover: { path: UserPath; is(stats: Stats): boolean } | undefined
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
  members: Members
  policy(): SharingPolicy
}) {
  const { shares, use, attempts, clock, key, ownerOf, members, policy } = options
  const tickets = createTickets(clock, key)
  const unlock = createUnlock({ tickets, members, attempts, renewHash: shares.renewHash })
  const paceOf = createPaces()

  /**
   * The share and its owner as they are now.
   *
   * @param session the session of the named person who visits it
   * @throws Problem `share.unknown`, `share.password`, `share.people`, `auth.forbidden`.
   */
  function current({ hash, password: passwordHash, userID }: ShareRecord, session?: string): Current {
    const share = shares.find(hash)
    const owner = ownerOf(userID)
    if (!share || !owner || !isOpen(share, clock())) throw new Problem('share.unknown')
    // After a change of the password the visitor must unlock the share again.
    if (share.password !== passwordHash) throw new Problem('share.password')
    memberSession(share, [session], members)
    // Visitors must not learn which permission the owner lacks.
    const isAllowed = isInPolicy(policy(), owner.user, share) && isUsable(owner.user.perm, share)
    if (!isAllowed) throw new Problem('auth.forbidden')
    return { share, owner }
  }

  return {
    /** What chats show of a share. Undefined: nothing, because it is not open for everybody. */
    card(hash: string): { title: string; text: string; hasPicture: boolean } | undefined {
      const share = shares.find(hash)
      const isOpenForAll = share && !share.password && !share.people && passes(() => current(share))
      if (!isOpenForAll || use.left(share).downloads === 0) return undefined
      const { title = '', message: text = '' } = share.conditions ?? {}
      // The name of a folder that only receives files is private, and so is the folder around several resources.
      const isNamed = !share.items && meaningOf(share).gives
      const shown = title || (isNamed ? nameOf(share.path as UserPath) : '')
      return shown ? { title: shown, text, hasPicture: share.cover !== undefined } : undefined
    },

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
      const { share, token, session } = await unlock(found, visitor)
      const client = clientOf(visitor)
      const { owner } = current(share, session)
      const jail = await owner.jail().catch(throwWithoutPath)
      await using opened = await openPath(jail, share.path as never).catch(throwWithoutPath)
      const visit = tickets.visitOf(share, visitor.visit)
      const only = await sharedIn(jail, { share, opened, inside })
      await use.visit(share, client)
      current(share, session) // the share may have been deleted meanwhile
      const base = baseOf(opened.path, opened.stats.isDirectory())
      const pathOfOwner = (path: UserPath) => joinPaths(base, path)
      const made: Shared = {
        opened,
        only,
        jail,
        base,
        page: `/share/${hash}`,
        payer: { key: `network ${client.network}`, share: share.hash },
        sorting: visitor.sorting ?? byName,
        change: visitor.change ?? noChanges,
        pace: paceOf(share),
        sender: { session: visit.id, share: share.hash },
        current: () => current(share, session),
        beginDownload: ({ path, ...download }) =>
          use.download(current(share, session).share, { ...client, ...download, path: pathOfOwner(path) }),
      }
      return {
        ...visitorIn(made, inside),
        owner: { ...owner, quotaOwner: made.payer },
        cover: share.cover && coverOf(share.cover),
        token,
        share,
        address: client.address,
        pathOfOwner,
        offer: offerOf(share, use),
        visit,
      }
    },
  }
}

/**
 * The only paths that are shared, of those that a request concerns. Undefined: all of what is opened.
 *
 * @throws Problem `share.unknown` when another file or folder is at the place of the shared one.
 */
async function sharedIn(
  jail: Jail,
  { share, opened, inside }: { share: ShareRecord; opened: OpenPath; inside: string },
): Promise<UserPath[] | undefined> {
  const only =
    share.items &&
    (await presentItems(jail, share.items, joinPaths(baseOf(opened.path, true), decodePath(inside).path)))
  if (only ? only.length === 0 : !isThing(share, opened.stats)) throw new Problem('share.unknown')
  return only
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

function coverOf(cover: NonNullable<ShareRecord['cover']>): OpenShare['cover'] {
  return { path: cover.path as UserPath, is: (stats) => isThing(cover, stats) }
}

/** The visitor of a shared folder or file, and the path that the request names. */
function visitorIn(made: Shared, inside: string): Pick<OpenShare, 'person' | 'typed'> {
  const { opened } = made
  if (opened.stats.isDirectory()) return { person: folderVisitor(made), typed: decodePath(inside) }
  return {
    person: fileVisitor(made),
    typed: { path: childOf(rootPath, nameOf(opened.path)), asFolder: false },
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
