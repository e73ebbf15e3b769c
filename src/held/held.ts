import type { HeldView } from '#contract/history/held.ts'
import type { Actor, Principal } from '#src/access/principal.ts'
import type { Clamd } from '#src/core/clamd/clamd.ts'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem, unconditional } from '#src/core/problem.ts'
import type { Examiner } from '#src/entries/examine.ts'
import type { Change } from '#src/files/changes/change.ts'
import { pathOfKept } from '#src/files/kept/kept-access.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Operation } from '#src/operations/operation.ts'
import type { Operations } from '#src/operations/operations.ts'
import { createExaminer, createScanning } from './examiner.ts'
import type { HeldFile } from './held-record.ts'
import { createHolding, type HoldingOptions, nameOfHeld } from './holding.ts'
import { type PlacingOptions, placeHeld } from './placing.ts'
import { createWaiting } from './waiting.ts'

const trimEveryMs = 60 * 60_000

/** What the scanner has found in a file. */
export interface Finding {
  signature: string
  /** Where the file was to go, relative to the served folder. */
  path: string
  size: number
  sha256: string
  /** The user who has sent it, or the owner of the share. */
  userId: number
  /** The id of the share through which it came. Undefined: none. */
  share: string | undefined
  /** The address of the client; empty: not known. */
  address: string
}

/** What held files need before the services that write files exist. */
export interface HeldSources extends HoldingOptions {
  /** Undefined: nothing is examined. */
  clamd: Clamd | undefined
  /** Whether the files of users are examined, not only those of visitors. */
  coversUsers: boolean
  /** Called when the scanner has found something. Must not throw. */
  onFound(finding: Finding): void
}

/** What putting them at their places needs. */
interface Placing extends PlacingOptions {
  operations: Pick<Operations, 'run'>
  personOf(userId: number, change?: Change): Principal | undefined
  /** The name of the user with this id. Empty if that user was removed. */
  nameOf(user: number | null): string
}

/** Received files that are not visible: the examiner that holds them back, their list, and what becomes of them. */
export function createHeldFiles(sources: HeldSources) {
  const { clamd, coversUsers, records, root, onFound, log } = sources
  const holding = createHolding(sources)
  // Locks by the id of the file.
  const locks = createKeyedLock()
  const scanning = clamd && createScanning(clamd)
  let waiting: ReturnType<typeof createWaiting> | undefined

  const examiner: Examiner | undefined =
    scanning &&
    createExaminer(
      {
        coversUsers,
        holding,
        onHeld(held) {
          const { id, state, reason, share } = held
          log.warn({ file: id, state, reason, share }, 'a received file is held back')
          waiting?.schedule()
        },
        onFound({ file: { actor, real }, reason, ...facts }) {
          const { user, quotaOwner, change } = actor
          const from = { userId: user.id, share: quotaOwner.share, address: change.origin?.address ?? '' }
          onFound({ signature: reason, path: servedPath(root, real), ...facts, ...from })
        },
        onAnswer: () => waiting?.hurry(),
      },
      scanning,
    )

  return {
    /** Examines the contents that arrive. Undefined: nothing is examined. */
    examiner,

    /** Completes the service when the services that write files exist. */
    complete(placing: Placing) {
      const placeOwn = (held: HeldFile) => placeForOwner(placing, held)
      const placed = async <T>(held: HeldFile, place: (held: HeldFile) => Promise<T>) => {
        const path = await place(held)
        await records.remove(held.id)
        return path
      }
      const trimming = setInterval(() => {
        holding.trim().catch((err: unknown) => log.error({ err }, 'old infected files could not be removed'))
      }, trimEveryMs).unref()
      if (clamd && scanning) {
        waiting = createWaiting({
          ...sources,
          clamd,
          scanning,
          alone: locks,
          place: (held) => placed(held, placeOwn),
          onFound: ({ reason, path, size, sha256, userId, share, address }) =>
            onFound({ signature: reason, path, size, sha256, userId, share, address }),
        })
      }
      const alone = <T>(id: string, work: () => Promise<T>) => locks.run(id, unconditional, work)
      return {
        list: (actor: Actor) => listFor(actor, { ...sources, ...placing }),

        /** Deletes a held file for good. Returns its path for the record. @throws Problem `scan.unknown`. */
        remove: (actor: Actor, id: string): Promise<string> =>
          alone(id, async () => {
            const held = findFor(actor, records.get(id))
            await holding.drop(held)
            return `${held.path} (${held.state}: ${held.reason})`
          }),

        /**
         * Puts a held file at its place in spite of the scanner: with the rights of the administrator, or where these do
         * not reach, of the owner. @throws Problem `scan.unknown`, and as `placeHeld`.
         */
        release: (actor: Actor, operation: Operation, id: string): Promise<UserPath> =>
          alone(id, async () => {
            const held = findFor(actor, records.get(id))
            operation.note(`${held.path} (${held.state}: ${held.reason})`)
            return placed(held, () => placeForAdministrator(placing, { actor, operation, held }))
          }),

        /** Examines the waiting files now. */
        examineWaiting: async () => waiting?.pass(),

        /** Finishes what a crash has left, and examines the files that wait. */
        async start(): Promise<void> {
          if (!clamd) return
          await holding.reconcile()
          waiting?.schedule()
        },

        /** Removes infected files that are too old. Also happens every hour. */
        sweep: holding.trim,

        close(): void {
          clearInterval(trimming)
          waiting?.close()
        },
      }
    },
  }
}

export type HeldFiles = ReturnType<ReturnType<typeof createHeldFiles>['complete']>

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
    return placeHeld(placing, owner, held)
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
  { records, root, nameOf }: Pick<HeldSources, 'records' | 'root'> & Pick<Placing, 'nameOf'>,
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
