import type { Stats } from 'node:fs'
import type { GivenConditions, GivenReferences, ShareRights, ShareView } from '#contract/shares.ts'
import type { Principal } from '#src/access/principal.ts'
import { meaningOf } from '#src/access/share-rights.ts'
import { hashPassword } from '#src/core/access/passwords.ts'
import type { Clock } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { noteShared } from './concerned.ts'
import { changedConditions, refuseEmptyTime, slugKey } from './conditions.ts'
import { refuseItems } from './items.ts'
import { manageable, permit, permitManaging } from './permit.ts'
import { checkPolicy } from './policy.ts'
import { type References, resolveReferences, withReferences } from './references.ts'

/** A change of a share. What is undefined stays. */
export interface ShareChange {
  expire?: number | undefined
  /** Empty: none from now on. */
  password?: string | undefined
  rights?: ShareRights | undefined
  conditions: GivenConditions
  references: GivenReferences
}

/** Creates the function that changes shares. */
export function createShareChange(options: {
  store: Store
  ownerOf(userId: number): Principal | undefined
  find(hash: string): ShareRecord | undefined
  isExpired(share: ShareRecord): boolean
  clock: Clock
  view(share: ShareRecord): ShareView
}) {
  const { store, ownerOf, find, isExpired, clock, view } = options

  /**
   * Changes a share. Its address stays, except for a new slug.
   *
   * @throws Problem `share.unknown`; `auth.forbidden` for a share of another user; `share.slug`; `request.invalid`;
   *   `share.right`, `share.download` when its owner may not give these rights; as `checkPolicy` does.
   */
  return async function update(person: Principal, hash: string, change: ShareChange): Promise<ShareView> {
    const share = manageable(person, find(hash))
    permitManaging(person, share)
    const owner = ownerOf(share.userID)
    await noteShared(person, share, owner)
    const newHash = change.password && (await hashPassword(change.password))
    const isFile = await isSharedFile(owner, share)
    const references = await resolveReferences(store, owner, change.references)
    return store.change(({ links }) => {
      person.check([])
      permitManaging(person, share)
      const now = links.get(share.hash)
      if (!now) throw new Problem('share.unknown')
      const next = changed(now, { ...change, newHash, references })
      checkChange({ next, change, owner, isFile })
      if (owner && concernsPolicy(change)) checkPolicy(store.current.sharing(), owner.user, next, clock())
      refuseTakenSlug(
        links.list().filter((one) => !isExpired(one)),
        next,
      )
      links.set(share.hash, next)
      return view(next)
    })
  }
}

interface Checked {
  next: ShareRecord
  change: ShareChange
  owner: Principal | undefined
  isFile: boolean
}

/** @throws Problem as `permit` and `checkPolicy` do; `request.invalid` for what does not fit together. */
function checkChange({ next, change, owner, isFile }: Checked): void {
  // A pause must be possible after the owner has lost a permission.
  if (owner && change.rights) permit(owner, change.rights)
  if (isFile) refuseFile(next, { isDirectory: () => false })
  refuseItems(next)
  refuseEmptyTime(next)
}

/** @throws Problem `request.invalid` for a share of one file that would receive others. */
export function refuseFile(share: ShareRecord, stats: Pick<Stats, 'isDirectory'>): void {
  if (stats.isDirectory() || !meaningOf(share).needsFolder) return
  throw new Problem('request.invalid', { field: 'rights', reason: 'need a folder' })
}

async function isSharedFile(owner: Principal | undefined, { path }: ShareRecord): Promise<boolean> {
  const jail = await owner?.jail().catch(() => undefined)
  if (!jail) return false // visitors cannot use it either
  await using opened = await openPath(jail, path as UserPath).catch(() => undefined)
  return opened !== undefined && !opened.stats.isDirectory()
}

/** @throws Problem `share.slug` when another share has this name in its address. */
export function refuseTakenSlug(all: readonly ShareRecord[], { hash, conditions }: ShareRecord): void {
  const slug = conditions?.slug
  const isTaken = (one: ShareRecord) =>
    one.hash !== hash && (one.conditions?.slug === slug || slugKey(one.hash) === slug)
  if (slug && all.some(isTaken)) throw new Problem('share.slug', { slug })
}

/** A change whose references are resolved. */
type Changed = Omit<ShareChange, 'references'> & { newHash: string | undefined; references: References }

/** The share with a change. `newHash`: the hash of the new password; empty: none. Undefined: it stays. */
function changed(
  share: ShareRecord,
  { conditions, newHash, expire, rights, references }: Changed,
): ShareRecord {
  const { conditions: before, ...others } = share
  const kept = withReferences(others, references)
  const after = changedConditions(before, conditions)
  return {
    ...kept,
    ...(expire !== undefined && { expire }),
    ...(rights && { rights }),
    ...(newHash !== undefined && { password: newHash }),
    ...(after && { conditions: after }),
  }
}

/** Whether a change of a share makes the policy matter again. A pause or another title is always possible. */
function concernsPolicy({ expire, password, rights, references }: ShareChange): boolean {
  return [expire, password, rights, references.people].some((one) => one !== undefined)
}
