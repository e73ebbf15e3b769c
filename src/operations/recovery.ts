import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { errnoOf, ignoreMissing, isDiskFull } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { KeptRecord } from '#src/files/kept/kept-record.ts'
import type { KeptStore } from '#src/files/kept/kept-store.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import { lstat, mkdir, rmdir, unlink } from '#src/files/paths/disk.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import {
  createOperationReader,
  doneStepOf,
  type EndedOperation,
  type NewItem,
  type OperationRecord,
  putStep,
  type StoredStep,
} from './operation-records.ts'
import { kindOfOldFolder } from './planned-step.ts'
import { type OperationTools, writeEnd } from './record-operation.ts'

/**
 * Finishes or rolls back the operations that a killed server has left. Finds out from the disk which steps were done.
 * A step is one rename, so it was done or not. Called at start, before any request.
 */
export async function recoverOperations(tools: RecoveryTools): Promise<void> {
  for (const record of await createOperationReader(tools.database).running()) {
    await recoverOperation(tools, record).catch((err: unknown) => {
      // The server must start on a full disk, so that users can delete files. The next start tries again.
      if (!isDiskFull(err)) throw err
      tools.log.error({ err, operation: record.id }, 'the disk is too full to record how an operation ended')
    })
  }
}

type RecoveryTools = Pick<
  OperationTools,
  'database' | 'stores' | 'root' | 'log' | 'keeping' | 'announcer' | 'nameOf'
>

async function recoverOperation(tools: RecoveryTools, record: OperationRecord): Promise<void> {
  const steps = await createOperationReader(tools.database).steps(record.id)
  const items: NewItem[] = []
  const recorded = new Set(steps.filter((step) => step.isDone))
  for (const step of steps) {
    const store = await storeOf(tools, step)
    const recover = recorded.has(step) ? recoverItem : recoverStep
    await recover({ ...tools, store, record, items }, step).catch((err: unknown) =>
      tools.log.error({ err, path: step.path }, 'an interrupted change could not be examined'),
    )
  }
  const done = steps.filter((step) => step.isDone)
  await tools.announcer.steps(
    done.map((step) => ({ ...doneStepOf(tools.root, record, step), isRecorded: recorded.has(step) })),
  )
  const changed = steps.map((step, n) => putStep(record.id, n, step))
  const ended = endedOperation(record, steps, tools.nameOf(record.user))
  await writeEnd(tools, { ended, undoOf: record.undo_of ?? undefined, changed, items }, 'write')
  const fields = { operation: record.id, kind: record.kind, done: done.length, of: steps.length }
  tools.log.warn(fields, 'the server was killed during an operation')
}

function endedOperation(
  { id, kind, time, user }: OperationRecord,
  steps: readonly StoredStep[],
  name: string,
): EndedOperation {
  const origin = { address: '', ...(user !== null && { user: { id: user, name } }) }
  return { ...origin, id, kind, time, steps, detail: '', concerned: [], isInterrupted: true, isAudited: true }
}

/** The store where the step keeps its item; undefined: it cannot be opened. */
async function storeOf(
  { stores, root }: Pick<OperationTools, 'stores' | 'root'>,
  step: StoredStep,
): Promise<KeptStore | undefined> {
  let folder = dirname(join(root, 'to' in step ? step.to : step.path))
  // A later step of the same operation may have removed the folder: then its store is that of the folder above.
  while (folder !== root && !(await lstat(folder).catch(() => undefined))) folder = dirname(folder)
  return stores.storeFor(folder).catch(() => undefined)
}

interface StepRecovery extends Pick<OperationTools, 'root' | 'stores' | 'keeping'> {
  /** Where the old content of the step is kept; undefined: nowhere. */
  store: KeptStore | undefined
  record: OperationRecord
  /** Receives the items that are kept. */
  items: NewItem[]
}

/** Sets `isDone` and `isKept` of a step. Puts back what must not stay in the trash, and forgets extra links. */
async function recoverStep(recovery: StepRecovery, step: StoredStep): Promise<void> {
  const { root, store } = recovery
  const path = join(root, 'to' in step ? step.to : step.path)
  const kept = await store?.find(step.item)
  await finishFolders(recovery, step)
  const there = await lstat(path).catch(ignoreMissing)
  await finishRename(recovery, step, there)
  step.isDone = await isDone(recovery, step, { there, kept })
  if (step.isDone) {
    if (there) step.after = { entry: identityOf(there), etag: etagOf(there) }
    await noteOld(recovery, step, kept)
    return
  }
  // The old content is another name of the file that was not replaced, or its only name.
  if (kept && store) await (there ? store.forget(step.item) : store.putBack(step.item, path))
  await removeMade(recovery, step)
}

/** Notes what a step has kept that is recorded as done. */
async function recoverItem(recovery: StepRecovery, step: StoredStep): Promise<void> {
  const { store } = recovery
  const stats = step.isKept ? await store?.find(step.item) : undefined
  if (stats && store) keepItem(recovery, { step, store, stats })
}

/** Notes what a step that was done has removed or replaced. */
async function noteOld(recovery: StepRecovery, step: StoredStep, kept: Stats | undefined): Promise<void> {
  const { store } = recovery
  // A new spelling of a name replaces nothing.
  const isRespelled = step.do === 'move' && step.replaces === step.entry
  if (step.replaces !== undefined && !isRespelled) step.hasReplaced = true
  if (step.do === 'move') await trashOriginal(recovery, step)
  if (kept && store) keepItem(recovery, { step, store, stats: kept })
}

/** Removes the old name of a file that has got a new one: a name that must be free is given as a second name first. */
async function finishRename(
  { root, stores }: StepRecovery,
  step: StoredStep,
  there: Stats | undefined,
): Promise<void> {
  if (!there || there.isDirectory() || there.nlink < 2) return
  if (step.do === 'restore') {
    const store = await stores.byKey(step.sourcePlace)
    const source = await store?.find(step.source)
    if (source && identityOf(source) === identityOf(there)) await store?.forget(step.source)
  }
  // Where the name was taken, the file had both names before.
  if (step.do !== 'move' || step.replaces !== undefined || step.entry !== identityOf(there)) return
  const from = join(root, step.path)
  const left = await lstat(from).catch(ignoreMissing)
  if (left && identityOf(left) === step.entry) await unlink(from)
}

/** Makes the rest of new folders, of which the first ones were made. */
async function finishFolders({ root }: StepRecovery, step: StoredStep): Promise<void> {
  if (step.do !== 'put' || step.entry !== undefined) return
  const [first, ...rest] = step.made ?? []
  const isBegun = first !== undefined && (await lstat(join(root, first)).catch(ignoreMissing))
  if (!isBegun) return
  for (const each of rest) {
    await mkdir(join(root, each), step.mode).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error
    })
  }
}

/** Removes the parent folders that were made for a step that was not done, if they are empty. */
async function removeMade({ root }: StepRecovery, step: StoredStep): Promise<void> {
  // Others may have made some of these folders.
  if (step.do === 'put' && step.entry === undefined) return
  for (const made of step.made?.toReversed() ?? []) {
    const isRemoved = await rmdir(join(root, made)).then(
      () => true,
      () => false,
    )
    if (!isRemoved) return
  }
}

/** Whether an entry that is removed goes to the trash. */
function goesToTrash({ store, keeping }: StepRecovery, step: StoredStep & { do: 'remove' }): boolean {
  return !step.isPermanent && store !== undefined && keeping().trash
}

async function isDone(
  recovery: StepRecovery,
  step: StoredStep,
  { there, kept }: { there: Stats | undefined; kept: Stats | undefined },
): Promise<boolean> {
  const { root, stores } = recovery
  // An entry that was not there in the first store is not in the trash either.
  if (step.do === 'remove') return kept !== undefined || !(there || goesToTrash(recovery, step))
  if (step.do === 'restore') {
    const source = await (await stores.byKey(step.sourcePlace))?.find(step.source)
    return source === undefined && there !== undefined
  }
  if (step.do === 'move') {
    const from = await lstat(join(root, step.path)).catch(ignoreMissing)
    if (!from || identityOf(from) !== step.entry) return there !== undefined
    // A move to another disk: the copy is whole, and the original was not deleted.
    return there !== undefined && there.dev !== from.dev && identityOf(there) !== step.replaces
  }
  if (!there) return false
  // A new folder has no identity before it exists.
  return step.entry === undefined || identityOf(there) === step.entry
}

/** Moves the original of a finished move to another disk to the trash, if it is still there. */
async function trashOriginal(
  { root, stores, record, items }: StepRecovery,
  step: StoredStep & { do: 'move' },
): Promise<void> {
  const address = join(root, step.path)
  const stats = await lstat(address).catch(ignoreMissing)
  if (!stats || identityOf(stats) !== step.entry) return
  const store = await stores.storeFor(dirname(address))
  const kept = recordOf(record, { kind: 'trash', path: step.path, stats })
  const id = randomId()
  await store?.take(id, address, kept)
  if (store) items.push({ ...kept, id, place: store.key })
}

function keepItem(
  { record, items, keeping }: StepRecovery,
  { step, store, stats }: { step: StoredStep; store: KeptStore; stats: Stats },
): void {
  const old = stats.isDirectory() ? kindOfOldFolder(step.do, keeping()) : 'version'
  const kind = step.do === 'remove' ? 'trash' : old
  const kept = recordOf(record, { kind, path: 'to' in step ? step.to : step.path, stats })
  step.isKept = true
  step.place = store.key
  items.push({ ...kept, id: step.item, place: store.key })
}

function recordOf(
  { time, user, id }: OperationRecord,
  { kind, path, stats }: Pick<KeptRecord, 'kind' | 'path'> & { stats: Stats },
): KeptRecord {
  const entry = { isFolder: stats.isDirectory(), modified: Math.round(stats.mtimeMs) }
  return { kind, path, time, user, userName: '', operation: id, ...entry }
}
