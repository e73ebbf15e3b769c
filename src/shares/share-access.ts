import { dirname } from 'node:path'
import type { Sorting } from '#contract/users.ts'
import type { Person } from '#src/auth/actor.ts'
import type { LoginLimiter } from '#src/auth/login-limiter.ts'
import { verifyPassword } from '#src/core/access/passwords.ts'
import { type Clock, isFuture } from '#src/core/clock.ts'
import type { QuotaOwner } from '#src/core/concurrency/partitioned-semaphore.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import { holds, type Recheck } from '#src/core/recheck.ts'
import { decodeJson, encodeJson, sameText, signature } from '#src/core/secret.ts'
import { nothing, type ShareRecord, type UserRecord } from '#src/core/state/state.ts'
import { exists } from '#src/files/jail/exists.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { named } from '#src/files/jail/naming.ts'
import type { Jail, OpenPath, SafePath } from '#src/files/paths/scope.ts'
import {
  childOf,
  decodePath,
  nameOf,
  parentOf,
  rootPath,
  type TypedPath,
  type UserPath,
} from '#src/files/paths/user-path.ts'
import { refusal } from './shares.policy.ts'
import { isThing, type Shares } from './shares.ts'

/** What a visitor brings along. */
export interface Visitor {
  address: string
  /** What was typed; undefined when nothing was. */
  password: string | undefined
  /** What unlocking has answered before. */
  token: string | undefined
  /** The order of a folder's items; undefined: by name. */
  sorting?: Sorting | undefined
}

/** An open share: who looks, at what, and what opens it again when it has a password. */
export interface OpenShare {
  person: Person
  typed: TypedPath
  token: string | undefined
}

const unlockedMs = 60 * 60_000

/**
 * Opens shares for visitors. A visit is the owner's own look at the shared thing, with nothing but the right to read:
 * the same services serve it, under the owner's rules of this moment.
 */
export function createShareAccess(options: {
  shares: Shares
  attempts: LoginLimiter
  clock: Clock
  key: () => Buffer
  /** Who a user is now; undefined when the account has gone. */
  ownerOf: (userId: number) => Person | undefined
}) {
  const { shares, attempts, clock, key, ownerOf } = options

  function ticketOf({ hash, password }: ShareRecord, until: number): string {
    const body = encodeJson({ hash, until })
    // The password's hash is signed along: a token never outlives the password it was given for.
    return `${body}.${signature(`share.${body}.${password}`, key())}`
  }

  function isTicket(share: ShareRecord, text: string): boolean {
    const { until } = (decodeJson(text.split('.')[0] ?? '') ?? {}) as { until?: unknown }
    if (typeof until !== 'number' || until <= clock() || isFuture(until - unlockedMs, clock())) return false
    return sameText(text, ticketOf(share, until))
  }

  /** @throws Problem `share.password`, `auth.limited`. */
  async function unlock(share: ShareRecord, visitor: Visitor): Promise<string | undefined> {
    if (share.password === '') return undefined
    if (visitor.token && isTicket(share, visitor.token)) return visitor.token
    const { password, address } = visitor
    if (password === undefined) throw new Problem('share.password')
    await attempts.attempt(`SHARE ${share.hash}`, address, async () => {
      if (!(await verifyPassword(share.password, password))) throw new Problem('share.password')
    })
    return ticketOf(share, clock() + unlockedMs)
  }

  /** The owner of a link that is still open. @throws Problem `share.unknown`, `share.password`, `auth.forbidden`. */
  function openOwner({ hash, password, userID }: ShareRecord): Person {
    const now = shares.find(hash)
    const owner = ownerOf(userID)
    if (!now || !owner) throw new Problem('share.unknown')
    // With another password it would have to be opened again.
    if (now.password !== password) throw new Problem('share.password')
    // Which right the owner lacks is no business of visitors.
    if (refusal(owner.user.perm)) throw new Problem('auth.forbidden')
    return owner
  }

  return {
    /**
     * Opens the share with this id.
     *
     * @param inside what follows the id in the address, still encoded; for a shared file it is only a name to show
     * @throws Problem `share.unknown` for what is over, gone or replaced; `share.password`; `auth.forbidden` when its owner
     * may no longer share; `path.forbidden` by the owner's rules.
     */
    async open(hash: string, inside: string, visitor: Visitor): Promise<OpenShare> {
      const share = shares.find(hash)
      if (!share || !ownerOf(share.userID)) throw new Problem('share.unknown')
      const token = await unlock(share, visitor)
      // Read after the password was verified, which may have waited: the link may have ended meanwhile.
      const owner = openOwner(share)
      const jail = await owner.jail().catch(asUnknown)
      await using held = await openPath(jail, share.path as never).catch(asUnknown)
      if (!isThing(share, held.stats)) throw new Problem('share.unknown')
      const payer = { key: `network ${networkOf(visitor.address)}`, link: hash }
      const { sorting = byName } = visitor
      const shared = { held, sorting, page: `/share/${hash}`, payer, recheck: () => void openOwner(share) }
      if (!held.stats.isDirectory()) {
        const typed = { path: childOf(rootPath, nameOf(held.path)), asFolder: false }
        return { person: fileVisitor(owner, jail, shared), typed, token }
      }
      return { person: folderVisitor(owner, jail, shared), typed: decodePath(inside), token }
    },
  }
}

/**
 * What a download's address means. Behind the id it may end in the shared folder's own name, for people to read
 *: unless something in the folder is called so, that is the whole folder.
 */
export async function downloadedIn({ person, typed }: OpenShare): Promise<TypedPath> {
  const isOwnName = Boolean(person.top) && typed.path === childOf(rootPath, person.top ?? '')
  if (!isOwnName || (await exists(await person.jail(), typed.path))) return typed
  return { path: rootPath, asFolder: true }
}

/** Where the shared thing lies is its owner's business: a refusal names it as what a visitor sees of it, the top. */
function asUnknown(error: unknown): never {
  if (error instanceof Problem && ['path.unknown', 'path.outside', 'path.dangling'].includes(error.code)) {
    throw new Problem('share.unknown')
  }
  return named(rootPath)(error)
}

interface Shared {
  held: OpenPath
  page: string
  payer: QuotaOwner
  sorting: Sorting
  /** Checks that the link and its owner's right to share are still there. */
  recheck: Recheck
}

/** Sees the folder as if there were nothing above it; rules speak of the owner's paths. */
function folderVisitor(owner: Person, jail: Jail, { held, ...shared }: Shared): Person {
  const base = held.path === rootPath ? '' : held.path
  const allows: Jail['allows'] = (path, folds) =>
    jail.allows(path === rootPath ? held.path : (`${base}${path}` as never), folds)
  return visitorOf(owner, {
    ...shared,
    base,
    top: nameOf(held.path),
    jail: { root: held.real, allows, secret: jail.secret },
  })
}

/** Sees one file and nothing beside it. */
function fileVisitor(owner: Person, jail: Jail, { held, ...shared }: Shared): Person {
  const only = childOf(rootPath, nameOf(held.path))
  const allows: Jail['allows'] = (path, folds) => path === only && jail.allows(held.path, folds)
  // The folder of what is held is where the held thing really is: proven to lie in the owner's jail.
  const root = dirname(held.real) as SafePath
  const base = parentOf(held.path)
  return visitorOf(owner, {
    ...shared,
    top: '',
    base: base === rootPath ? '' : base,
    jail: { root, allows, secret: jail.secret },
  })
}

function visitorOf(
  owner: Person,
  {
    page,
    payer,
    sorting,
    base,
    jail,
    top,
    recheck,
  }: Omit<Shared, 'held'> & { base: string; jail: Jail; top: string },
): Person {
  const rules = owner.rules.map((rule) => ({ ...rule, base }))
  const check: Person['check'] = (paths, folds) => {
    recheck()
    try {
      const full = paths?.map((path) => `${base}${path}` as UserPath)
      owner.check(full, folds)
    } catch (error) {
      const isRule = error instanceof Problem && error.code === 'path.forbidden'
      // Named as the visitor sees it: what lies above the shared folder is the owner's.
      throw isRule ? new Problem('path.forbidden', { path: paths?.[0] ?? '' }) : error
    }
  }
  return {
    get user(): UserRecord {
      return { ...owner.user, perm: onlyRead, sorting }
    },
    rules,
    jail: async () => jail,
    payer,
    check,
    stands: (paths, folds) => holds(() => check(paths, folds)),
    page,
    top,
  }
}

const byName: Sorting = { by: 'name', asc: false }
const onlyRead = { ...nothing, download: true }
