import type { Stats } from 'node:fs'
import type { ShareView } from '#contract/shares.ts'
import type { Person } from '#src/auth/actor.ts'
import { hashPassword } from '#src/core/access/passwords.ts'
import type { Clock } from '#src/core/clock.ts'
import { createRateLimiter } from '#src/core/concurrency/rate-limiter.ts'
import { entryOf, removeEntry, setEntry } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import { randomId } from '#src/core/secret.ts'
import type { ShareRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { mayManage, refusal } from './shares.policy.ts'

/** What a new link is to be. */
export interface NewShare {
  path: UserPath
  /** Seconds since 1970; 0 for ever. */
  expire: number
  /** Empty: none. */
  password: string
}

// Nobody keeps an eye on so many. Every deed with files asks each link whether it is meant.
const mostEach = 1000
// New ones a second of one person; those of twenty seconds also at once.
const newEach = 5

/** The links that people give away (contract/README.md#shares): the only module that makes and ends them. */
export function createShares({ store, clock }: { store: Store; clock: Clock }) {
  const bounds = createBounds(clock)
  const { isOver, living, end, find, settled } = createDirectory(store, clock)

  return {
    find,

    /** One's own links, or everybody's for an administrator, by owner, then by expiry, permanent first. */
    list(person: Person): ShareView[] {
      permit(person)
      return living()
        .filter((share) => mayManage(person.user, share))
        .sort((a, b) => a.userID - b.userID || a.expire - b.expire || a.created - b.created)
        .map(view)
    },

    /** The links to the very thing at `path`: one's own, or everybody's for an administrator. */
    async listOf(person: Person, path: UserPath): Promise<ShareView[]> {
      permit(person)
      await using held = await openPath(await person.jail(), path)
      return living()
        .filter((share) => mayManage(person.user, share) && isThing(share, held.stats))
        .sort((a, b) => a.expire - b.expire || a.created - b.created)
        .map(view)
    },

    /**
     * Makes a link. A second permanent one without a password is the first.
     *
     * @throws Problem `share.right`, `share.download`; `path.unknown`, `path.special`; `share.many`, `request.limited` for more than anybody gives away.
     */
    async create(person: Person, { path, expire, password }: NewShare): Promise<ShareView> {
      permit(person)
      await using held = await openPath(await person.jail(), path)
      if (!held.stats.isFile() && !held.stats.isDirectory()) throw new Problem('path.special', { path })
      const userID = person.user.id
      const isSame = (share: ShareRecord) =>
        share.userID === userID && share.expire === 0 && share.password === '' && isThing(share, held.stats)
      const findSame = (shares: readonly ShareRecord[]) =>
        expire === 0 && !password ? shares.find(isSame) : undefined
      const first = findSame(living())
      if (first) return view(first)
      bounds.take(living(), userID) // before the work of hashing a password
      const share: ShareRecord = {
        hash: randomId(),
        userID,
        path: held.path,
        expire,
        created: Math.floor(clock() / 1000),
        password: password && (await hashPassword(password)),
        thing: thingOf(held.stats),
      }
      return store.change((draft) => {
        recheck(person, [path, held.path])
        const shares = Object.values(draft.shares)
        const known = findSame(shares)
        if (known) return view(known)
        for (const old of shares.filter(isOver)) removeEntry(draft.shares, old.hash)
        bounds.check(Object.values(draft.shares), userID)
        setEntry(draft.shares, share.hash, share)
        return view(share)
      })
    },

    /** Ends a link. @throws Problem `share.unknown`; `auth.forbidden` for somebody else's; `share.right`, `share.download`. */
    async remove(person: Person, hash: string): Promise<void> {
      permit(person)
      const share = find(hash)
      if (!share) throw new Problem('share.unknown')
      if (!mayManage(person.user, share)) throw new Problem('auth.forbidden')
      await end(
        (one) => one.hash === hash,
        () => recheck(person, []),
      )
    },

    /** Ends when nothing is being removed any more. */
    close: settled,
  }
}

/** The links that are in the state. One that is over is removed when it is noticed: no change of the clock revives it. */
function createDirectory(store: Store, clock: Clock) {
  let forgetting: Promise<void> | undefined
  const isOver = ({ expire }: ShareRecord) => expire !== 0 && expire * 1000 <= clock()

  /** Ends links, and those that are over on the way. */
  async function end(isEnding: (share: ShareRecord) => boolean, recheck: Recheck): Promise<void> {
    await store.change((draft) => {
      recheck()
      for (const share of Object.values(draft.shares)) {
        if (isEnding(share) || isOver(share)) removeEntry(draft.shares, share.hash)
      }
    })
  }

  function forgetEnded(): void {
    forgetting ??= end(() => false, unconditional)
      .catch(() => {}) // the next time that it is noticed
      .finally(() => {
        forgetting = undefined
      })
  }

  return {
    isOver,
    end,

    /** The links that are not over. */
    living(): ShareRecord[] {
      const all = Object.values(store.data.shares)
      if (all.some(isOver)) forgetEnded()
      return all.filter((share) => !isOver(share))
    },

    /** The link with this id; undefined when there is none, or no more. */
    find(hash: string): ShareRecord | undefined {
      const share = entryOf(store.data.shares, hash)
      if (!share || !isOver(share)) return share
      forgetEnded()
      return undefined
    },

    /** Waits for links that are being removed. */
    settled: async (): Promise<void> => forgetting,
  }
}

function permit(person: Person): void {
  const code = refusal(person.user.perm)
  if (code) throw new Problem(code)
}

/** Checks, when a change is made that may have had to wait, that somebody may still give these paths away. */
function recheck(person: Person, paths: readonly UserPath[]): void {
  person.check(paths)
  permit(person)
}

/** What one person may give away. */
function createBounds(clock: Clock) {
  const rate = createRateLimiter(newEach, clock)
  function check(living: readonly ShareRecord[], userID: number): void {
    const own = living.filter((share) => share.userID === userID).length
    if (own >= mostEach) throw new Problem('share.many', { most: mostEach })
  }
  return {
    /** @throws Problem `share.many` when `living`, which are not over, hold as many of theirs as they may have. */
    check,
    /** Counts a new one. @throws Problem `share.many`, `request.limited`. */
    take(living: readonly ShareRecord[], userID: number): void {
      check(living, userID)
      rate.take(String(userID))
    },
  }
}

export type Shares = ReturnType<typeof createShares>

/** Which thing on the disk this is, whatever its name. */
export function thingOf({ dev, ino, birthtimeMs }: Stats): ShareRecord['thing'] {
  return { dev, ino, birth: birthtimeMs }
}

/**
 * Whether a link was made for this very thing. A number and a time of birth are never given twice together; the device's
 * own number changes when disks are found in another order, so it counts only where no birth is known.
 */
export function isThing({ thing }: ShareRecord, { dev, ino, birthtimeMs }: Stats): boolean {
  return thing.ino === ino && thing.birth === birthtimeMs && (thing.birth !== 0 || thing.dev === dev)
}

function view({ hash, path, userID, expire, created, password }: ShareRecord): ShareView {
  return { hash, path, userID, expire, created, hasPassword: password !== '' }
}
