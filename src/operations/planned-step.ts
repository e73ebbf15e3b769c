import type { Stats } from 'node:fs'
import { dirname } from 'node:path'
import type { KeepingSettings } from '#contract/history/kept.ts'
import type { Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { ignoreMissing } from '#src/core/problem.ts'
import type { PlannedStep, Step } from '#src/files/changes/change.ts'
import type { KeptRecord } from '#src/files/kept/kept-record.ts'
import type { KeptStore } from '#src/files/kept/kept-store.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import { lstat } from '#src/files/paths/disk.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import { type DoneStep, itemOf, type NewItem, type StoredStep } from './operation-records.ts'

/** A recorded step, and what doing it needs. */
export interface StepOptions {
  /** The stored step. It is changed as the step goes on. */
  step: StoredStep
  /** The step with real paths. */
  wanted: Step
  stores: KeptStores
  keeping(): KeepingSettings
  log: Logger
  toServed(real: string): string
  recordOf(kind: KeptRecord['kind'], path: string, stats: Stats): KeptRecord
  /** Receives the items that are kept, by their ids. */
  items: Map<string, NewItem>
  /** The statement that stores the step. */
  putStep(): Statement
  /** Calls the followers. */
  notify(step: Omit<DoneStep, 'kind'>): Promise<void>
}

/** What a step has kept so far. */
interface Keeping {
  store?: KeptStore
  /** Where the replaced file was, for system calls. */
  address?: string
  replaced?: Stats
}

/** Creates the functions that do a recorded step. */
export function createPlannedStep(options: StepOptions): PlannedStep {
  const { step, wanted, log, items } = options
  const { item: id } = step
  const kept: Keeping = {}
  return {
    keepOld: (address, old) => keepOld(options, kept, { address, old }),
    keepOldFolder: (address, old) => keepOldFolder(options, kept, { address, old }),
    discard: (address, stats) => discard(options, kept, { address, stats }),

    async takeBack(at) {
      await kept.store?.putBack(id, at)
      unkeep(options)
    },

    async done({ stats, made } = {}) {
      step.isDone = true
      if (stats) step.after = { entry: identityOf(stats), etag: etagOf(stats) }
      if (made) step.made = made.map((each) => options.toServed(each))
      const item = itemOf(step)
      const to = 'to' in wanted ? wanted.to : undefined
      const { path } = wanted
      const { putStep: recorded } = options
      await options.notify({ do: step.do, path, to, item, replaced: kept.replaced, stats, recorded })
    },

    async cancel() {
      if (step.isDone || !items.has(id)) return
      // Its name was taken while it was in the trash: it stays there.
      if (step.do === 'remove') step.isDone = true
      else
        await cancelKept(options, kept).catch((error: unknown) =>
          log.error({ err: error, path: step.path }, 'the old content of a file stays as a version'),
        )
    },
  }
}

function keep(
  { step, items }: StepOptions,
  { record, store }: { record: KeptRecord; store: KeptStore },
): void {
  step.place = store.key
  step.isKept = true
  items.set(step.item, { ...record, id: step.item, place: store.key })
}

function unkeep({ step, items }: StepOptions): void {
  step.isKept = false
  items.delete(step.item)
}

async function keepOld(
  options: StepOptions,
  kept: Keeping,
  { address, old }: { address: string; old: Stats },
): Promise<void> {
  const { step, wanted, stores, keeping, log } = options
  Object.assign(kept, { replaced: old, address })
  step.hasReplaced = true
  if (!old.isFile() || !keepsVersions(keeping(), 'to' in step ? step.to : step.path, old.size)) return
  const real = 'to' in wanted ? wanted.to : wanted.path
  const record = options.recordOf('version', real, old)
  try {
    const store = await stores.storeFor(dirname(real))
    if (!store) return
    await store.keepOld(step.item, address, record)
    kept.store = store
    keep(options, { record, store })
  } catch (error) {
    // The user wants to save the file: that is more important than its old content.
    log.warn({ err: error, path: step.path }, 'the old content of a file could not be kept')
  }
}

async function keepOldFolder(
  options: StepOptions,
  kept: Keeping,
  { address, old }: { address: string; old: Stats },
): Promise<boolean> {
  const { step, wanted, stores, keeping, log } = options
  Object.assign(kept, { replaced: old, address })
  step.hasReplaced = true
  const kind = kindOfOldFolder(step.do, keeping())
  // The largest size of a version is that of a file.
  if (kind === 'version' && !keepsVersions(keeping(), step.path, 0)) return false
  const record = options.recordOf(kind, wanted.path, old)
  try {
    const store = await stores.storeFor(dirname(wanted.path))
    if (!store) return false
    await store.take(step.item, address, record)
    kept.store = store
    keep(options, { record, store })
    return true
  } catch (error) {
    // The new folder is more important than the old one.
    log.warn({ err: error, path: step.path }, 'a replaced folder could not be kept')
    return false
  }
}

async function discard(
  options: StepOptions,
  kept: Keeping,
  { address, stats }: { address: string; stats: Stats },
): Promise<string | undefined> {
  const { step, wanted, stores, keeping } = options
  const isPermanent = 'isPermanent' in step && step.isPermanent
  const store = isPermanent || !keeping().trash ? undefined : await stores.storeFor(dirname(wanted.path))
  if (!store) return undefined
  const record = options.recordOf('trash', wanted.path, stats)
  // When this fails, nothing is deleted: the user expects that the entry goes to the trash.
  await store.take(step.item, address, record)
  kept.store = store
  keep(options, { record, store })
  return store.addressOf(step.item)
}

/**
 * What a replaced folder becomes. When an undo replaces it, others may have put files into it since. They find it in the
 * trash, because no list shows the versions of folders.
 */
export function kindOfOldFolder(verb: Step['do'], { trash }: KeepingSettings): KeptRecord['kind'] {
  return verb === 'restore' && trash ? 'trash' : 'version'
}

/** Forgets the old content, or puts it back where it was moved away. */
async function cancelKept(options: StepOptions, { store, address = '' }: Keeping): Promise<void> {
  const { item: id } = options.step
  const isThere = await lstat(address).catch(ignoreMissing)
  await (isThere ? store?.forget(id) : store?.putBack(id, address))
  unkeep(options)
}

/** Whether the old content of a file is kept. `path` is relative to the served folder. */
function keepsVersions(
  { versions, versionSize, withoutVersions }: KeepingSettings,
  path: string,
  size: number,
): boolean {
  if (!versions || (versionSize > 0 && size > versionSize)) return false
  return !withoutVersions.some((folder) => isWithin(path, folder))
}
