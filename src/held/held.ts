import type { HeldView } from '#contract/history/held.ts'
import type { Actor, Principal } from '#src/access/principal.ts'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem, unconditional } from '#src/core/problem.ts'
import type { Change } from '#src/files/changes/change.ts'
import { pathOfKept } from '#src/files/kept/kept-access.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Operation } from '#src/operations/operation.ts'
import type { Operations } from '#src/operations/operations.ts'
import type { Store } from '#src/state/store.ts'
import type { HeldFile } from './held-record.ts'
import { nameOfHeld } from './holding.ts'
import { type PlacingOptions, placeHeld } from './placing.ts'
import { findingOf, type Receiving } from './receiving.ts'
import { createWaiting } from './waiting.ts'

const trimEveryMs = 60 * 60_000

/** What putting held files at their places needs. */
interface Placing extends PlacingOptions {
  store: Pick<Store, 'links'>
  operations: Pick<Operations, 'run'>
  personOf(userId: number, change?: Change): Principal | undefined
  /** The name of the user with this id. Empty if that user was removed. */
  nameOf(user: number | null): string
}

/** Received files that are held back: their list, and what becomes of them. */
export function createHeldFiles(receiving: Receiving, placing: Placing) {
  const { records, holding, log } = receiving
  // Locks by the id of the file.
  const locks = createKeyedLock()
  const alone = <T>(id: string, work: () => Promise<T>) => locks.run(id, unconditional, work)

  async function placed(held: HeldFile, place: () => Promise<UserPath>): Promise<UserPath> {
    const path = await place()
    await records.remove(held.id)
    return path
  }

  const waiting = waitingOf(receiving, {
    alone: locks,
    place: (held) => placed(held, () => placeForOwner(placing, held)),
  })
  const trimming = setInterval(() => {
    holding.trim().catch((err: unknown) => log.error({ err }, 'old infected files could not be removed'))
  }, trimEveryMs).unref()

  return {
    list: (actor: Actor) => listFor(actor, { ...receiving, ...placing }),

    /** Deletes a held file for good. Returns what it was, for the audit log. @throws Problem `scan.unknown`. */
    remove: (actor: Actor, id: string): Promise<string> =>
      alone(id, async () => {
        const held = findFor(actor, records.get(id))
        await holding.drop(held)
        return described(held)
      }),

    /**
     * Puts a held file at its place in spite of the scanner: with the rights of the administrator, or where these do not
     * reach, of the owner. @throws Problem `scan.unknown`, and as `placeHeld`.
     */
    release: (actor: Actor, operation: Operation, id: string): Promise<UserPath> =>
      alone(id, async () => {
        const held = findFor(actor, records.get(id))
        operation.note(described(held))
        return placed(held, () => placeForAdministrator(placing, { actor, operation, held }))
      }),

    /** Examines the waiting files now. */
    examineWaiting: async () => waiting?.pass(),

    /** Finishes what a crash has left, and examines the files that wait. */
    async start(): Promise<void> {
      if (!waiting) return
      await holding.reconcile()
      waiting.schedule()
    },

    /** Removes infected files that are too old. Also happens every hour. */
    removeOld: holding.trim,

    close(): void {
      clearInterval(trimming)
      waiting?.close()
    },
  }
}

/** Creates what examines waiting files again. Undefined: there is no scanner. */
function waitingOf(
  { clamd, scanning, listeners, onFound, ...receiving }: Receiving,
  own: Pick<Parameters<typeof createWaiting>[0], 'alone' | 'place'>,
) {
  if (!clamd || !scanning) return undefined
  const waiting = createWaiting({
    ...receiving,
    ...own,
    clamd,
    scanning,
    onFound: (held) => onFound(findingOf(held)),
  })
  Object.assign(listeners, { onHeld: waiting.schedule, onAnswer: waiting.hurry })
  return waiting
}

function described({ path, state, reason }: HeldFile): string {
  return `${path} (${state}: ${reason})`
}

/** @throws Problem `scan.unknown` when it is not held, or not by this user. */
function findFor({ user }: Actor, held: HeldFile | undefined): HeldFile {
  if (!held || !(user.perm.admin || held.userId === user.id)) throw new Problem('scan.unknown')
  return held
}

async function placeForOwner({ operations, ...placing }: Placing, held: HeldFile): Promise<UserPath> {
  const name = placing.nameOf(held.userId)
  const about = { kind: held.event, user: { id: held.userId, name }, address: '' }
  return operations.run(about, async (operation) => {
    operation.note('examined after it had arrived')
    const owner = placing.personOf(held.userId, operation)
    if (!owner) throw new Problem('user.unknown')
    // Through a link that has ended, a file may arrive, but not replace another one.
    const isOpen = held.share === undefined || (await placing.store.links.byHash(held.share)) !== undefined
    return placeHeld(placing, owner, isOpen ? held : { ...held, replaces: undefined })
  })
}

async function placeForAdministrator(
  placing: Placing,
  { actor, operation, held }: { actor: Actor; operation: Operation; held: HeldFile },
): Promise<UserPath> {
  try {
    return await placeHeld(placing, actor, held)
  } catch (error) {
    const owner = placing.personOf(held.userId, operation)
    const isUnreachable = error instanceof Problem && error.code === 'path.forbidden'
    if (!isUnreachable || !owner) throw error
    return placeHeld(placing, owner, held)
  }
}

/** The newest first. */
async function listFor(
  actor: Actor,
  { records, root, nameOf }: Pick<Receiving, 'records' | 'root'> & Pick<Placing, 'nameOf'>,
): Promise<HeldView[]> {
  const { user } = actor
  const isAdmin = user.perm.admin
  const jail = isAdmin ? undefined : await actor.jail()
  return records
    .all()
    .filter(({ userId }) => isAdmin || userId === user.id)
    .toSorted((a, b) => b.time - a.time)
    .map((held) => {
      const { id, state, reason, path, size, sha256, userId, share, address, time } = held
      return {
        ...{ id, state, reason, size, sha256 },
        name: nameOfHeld(held),
        path: jail ? (pathOfKept(jail, { root, was: path }) ?? '') : path,
        user: nameOf(userId),
        ...(share !== undefined && { share }),
        ...(isAdmin && { address }),
        time: new Date(time).toISOString(),
      }
    })
}
