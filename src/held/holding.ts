import { basename, dirname } from 'node:path'
import type { Clock } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { Records } from '#src/core/storage/records.ts'
import type { FinishedFile } from '#src/entries/examine.ts'
import { heldId, type KeptRecord } from '#src/files/kept/kept-record.ts'
import type { KeptStore } from '#src/files/kept/kept-store.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import type { HeldFile } from './held-record.ts'

/** What is kept at most. Infected files: the oldest go first. Others: further ones are refused. */
export const bounds = {
  infected: { files: 500, bytes: 5 * 1024 ** 3, days: 30 },
  others: { files: 1000, bytes: 100 * 1024 ** 3 },
  /** Of the others, through one share or of one user. */
  each: { files: 250, bytes: 25 * 1024 ** 3 },
} as const

const dayMs = 24 * 60 * 60_000

/** A file to hold, and why. */
export interface HoldRequest extends Pick<HeldFile, 'state' | 'reason' | 'size' | 'sha256'> {
  file: FinishedFile
}

/** What holding files needs. */
export interface HoldingOptions {
  records: Records<HeldFile>
  stores: KeptStores
  /** Real path of the served folder. */
  root: string
  clock: Clock
  log: Logger
}

/**
 * Keeps received files that may not become visible. The record is durable before the file moves into the store with one
 * rename. So a killed server leaves the temporary file, which the next start removes, or a held file.
 */
export function createHolding({ records, stores, root, clock, log }: HoldingOptions) {
  /** Removes a file for good. Its record goes last: the next start would take a content without one for a waiting file. */
  async function drop(held: HeldFile): Promise<void> {
    const store = await stores.byKey(held.place)
    await store?.destroy(held.id)
    await records.remove(held.id)
  }

  /** Removes infected files that are too old, and the oldest ones beyond the bounds. */
  async function trim(): Promise<void> {
    const { files, bytes, days } = bounds.infected
    const infected = ofState(records.all(), true).toSorted((a, b) => b.time - a.time)
    let sum = 0
    for (const [n, held] of infected.entries()) {
      sum += held.size
      const isOld = clock() - held.time > days * dayMs
      if (n >= files || sum > bytes || isOld) await drop(held)
    }
  }

  /** Moves the file into the store. Undefined: nothing can be kept on its disk, or there is no room. */
  async function keep({ file, ...rest }: HoldRequest): Promise<HeldFile | undefined> {
    const { actor, real, event, replaces } = file
    const store = await stores.storeFor(dirname(real))
    if (!store) return undefined
    const { user, quotaOwner, change } = actor
    const held: HeldFile = {
      id: heldId(randomId()),
      ...rest,
      path: servedPath(root, real),
      place: store.key,
      time: clock(),
      event,
      userId: user.id,
      ...(quotaOwner.share !== undefined && { share: quotaOwner.share }),
      address: change.origin?.address ?? '',
      ...(replaces && { replaces: { entry: identityOf(replaces), etag: etagOf(replaces) } }),
      tries: 0,
    }
    // Nothing waits between this and the record, which is in memory at once.
    if (!hasRoom(records.all(), held)) return undefined
    await records.put(held)
    try {
      await store.take(held.id, file.temporary, keptRecordOf(held, user.username))
      return held
    } catch (error) {
      await records.remove(held.id)
      throw error
    }
  }

  return {
    drop,
    trim,

    /**
     * Holds a file. Returns undefined when it cannot be kept, for example because its disk has no place for it.
     *
     * @throws Problem `auth.required` and others when the sender has lost the access
     */
    async hold(request: HoldRequest): Promise<HeldFile | undefined> {
      try {
        const held = await keep(request)
        if (held?.state === 'infected') await trim()
        return held
      } catch (error) {
        if (error instanceof Problem) throw error
        log.error({ err: error, path: request.file.path }, 'a file could not be held')
        return undefined
      }
    },

    /**
     * Makes the records agree with the stores, after a crash. A content without a record waits for the scanner again, and
     * then goes to its place as a file of the user whom the record in its store names.
     */
    async reconcile(): Promise<void> {
      for (const held of records.all()) {
        const store = await stores.byKey(held.place)
        // A store that is not there belongs to a disk that is not mounted now.
        if (store && !(await store.find(held.id))) await records.remove(held.id)
      }
      for (const store of await stores.all()) await adopt({ records, clock }, store)
      await trim()
    },
  }
}

export type Holding = ReturnType<typeof createHolding>

/** Makes records for the files of a store that have none. */
async function adopt({ records, clock }: Pick<HoldingOptions, 'records' | 'clock'>, store: KeptStore) {
  for await (const { id, record } of store.listHeld()) {
    const stats = records.get(id) ? undefined : await store.find(id)
    if (!stats?.isFile()) continue
    const { path = `/${id}`, time = clock(), user = null } = record ?? {}
    await records.put({
      ...{ id, state: 'waiting', reason: 'it was found without a record', path, place: store.key },
      ...{ size: stats.size, sha256: '', time, event: 'upload', userId: user ?? 0, address: '', tries: 0 },
    })
  }
}

function keptRecordOf({ path, time, userId, size }: HeldFile, userName: string): KeptRecord {
  const by = { user: userId, userName, operation: '' }
  return { kind: 'version', path, time, ...by, isFolder: false, modified: time, size }
}

const ofState = (all: readonly HeldFile[], isInfected: boolean) =>
  all.filter(({ state }) => (state === 'infected') === isInfected)

/** Whether a new file has room. An infected one always has: older ones go. */
function hasRoom(all: readonly HeldFile[], added: HeldFile): boolean {
  if (added.state === 'infected') return added.size <= bounds.infected.bytes
  const others = ofState(all, false)
  const own = others.filter(
    ({ userId, share }) => share === added.share && (share ?? userId) === (added.share ?? added.userId),
  )
  return fits(others, added, bounds.others) && fits(own, added, bounds.each)
}

function fits(all: readonly HeldFile[], { size }: HeldFile, most: { files: number; bytes: number }): boolean {
  const bytes = all.reduce((sum, held) => sum + held.size, size)
  return all.length < most.files && bytes <= most.bytes
}

/** The name of a held file. */
export function nameOfHeld({ path }: Pick<HeldFile, 'path'>): string {
  return basename(path)
}
