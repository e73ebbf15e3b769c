import { join } from 'node:path'
import type { DeleteResult } from '#contract/resources.ts'
import { authorize, recheckOf } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { onPath, Problem, type Recheck } from '#src/core/problem.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import type { PlannedStep } from '#src/files/changes/change.ts'
import { openParent, spellAllowed } from '#src/files/jail/jail.ts'
import { type Located, locateIn, requireStats } from '#src/files/jail/locate.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { nameOf, parentOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { flushRemovals, removeUnflushed } from '#src/files/trees/remove-tree.ts'
import type { TreeContext } from '#src/files/trees/tree-context.ts'
import { hookContextOf } from './destination.ts'
import { acquireDescriptors } from './open.ts'

/** An entry to delete. */
export interface RemovalRequest {
  path: UserPath
  /** The path as requested, which the response repeats. */
  requestedPath: string
}

// A folder stays open for this many of its entries, or this many milliseconds. Then it is flushed to disk once, and
// the results are reported.
const batchLimits = { entries: 250, ms: 500 }

/** Entries of one folder, their results, and what was deleted. */
interface Batch {
  folder: OpenPath
  entries: readonly RemovalRequest[]
  results: DeleteResult[]
  /** The recorded steps of the deleted entries. */
  removed: PlannedStep[]
}

/** The results of a batch, and the error that ended the deletion, if there was one. */
interface BatchResult {
  results: DeleteResult[]
  failure?: { error: unknown }
}

/** What the deletion of an entry needs. */
interface RemovalContext {
  actor: Principal
  own: TreeContext
  hooks: Hooks
}

/** Deletes many entries in one request. Each entry has its own permission check and its own bound commands. */
export function createRemoval(
  { hooks, files }: { hooks: Hooks; files: PartitionedSemaphore },
  toolsFor: (actor: Principal, recheck: Recheck) => Promise<TreeContext>,
) {
  /**
   * Deletes a batch of entries in one folder. Returns the result of each, and the error if no further entry can be
   * deleted.
   */
  async function removeBatch(
    actor: Principal,
    own: TreeContext,
    entries: readonly RemovalRequest[],
  ): Promise<BatchResult> {
    const [{ path: first } = { path: rootPath }] = entries
    const folder = await openParent(own.jail, first).catch((error: unknown) => error)
    if (!isHeld(folder))
      return { results: entries.slice(0, 1).map(({ requestedPath: asked }) => refused(asked, folder)) }
    await using held = folder
    const batch: Batch = { folder: held, entries, results: [], removed: [] }
    const { results, removed } = batch
    const followUp = async () => {
      if (removed.length === 0) return
      await Promise.all(removed.map((step) => step.done()))
      await flushRemovals(held).catch(onPath(held.asked))
    }
    try {
      // Shares of deleted items are removed even if a later item fails.
      await removeEntries({ actor, own, hooks }, batch).finally(followUp)
      return { results }
    } catch (error) {
      return { results, failure: { error } }
    }
  }

  /**
   * Deletes entries and yields the results batch by batch. A refused entry stays and the others are deleted. Stops
   * when the signal aborts or when the user may no longer delete.
   *
   * @throws Problem `auth.forbidden` before any deletion; `auth.required` if the session ends meanwhile.
   */
  return async (
    actor: Principal,
    entries: readonly RemovalRequest[],
    { signal, isPermanent }: { signal: AbortSignal; isPermanent?: boolean | undefined },
  ): Promise<AsyncIterable<DeleteResult[]>> => {
    authorize(actor, 'delete')
    const paths = entries.map(({ path }) => path)
    const operation = { kind: 'transfer', verb: 'delete', paths, signal: () => signal } as const
    const entered = await acquireDescriptors(files, actor, operation)
    async function* removing() {
      using _files = entered
      let rest = entries
      while (rest.length > 0 && !signal.aborted) {
        const own = await toolsFor(actor, recheckOf(actor, 'delete', paths.slice(0, 1)))
        own.isPermanent = isPermanent
        const { results, failure } = await removeBatch(actor, own, firstBatch(rest))
        rest = rest.slice(results.length)
        // Report the finished batch before the failure, because its items are deleted.
        if (results.length > 0) yield results
        if (failure) throw failure.error
      }
    }
    return removing()
  }
}

/** Deletes one entry of the open folder and returns its description for the hooks. */
async function removeOne(
  { actor, hooks, own }: RemovalContext,
  { folder, path, step }: { folder: OpenPath; path: UserPath; step: PlannedStep },
) {
  own.recheck()
  await spellAllowed(own.jail, path)
  const target: Located = await locateIn(own.jail, folder, nameOf(path))
  requireStats(target)
  const about = hookContextOf(actor, own, target)
  await hooks.before('delete', about)
  await removeUnflushed(own, target, step)
  return about
}

/** Deletes entries of the open folder until the time of a batch is over. Fills `results` and `removed`. */
async function removeEntries(
  context: RemovalContext,
  { folder, entries, results, removed }: Batch,
): Promise<void> {
  const until = performance.now() + batchLimits.ms
  const steps = await context.own.change.plan(
    ...entries.map(({ path }) => {
      const { isPermanent } = context.own
      return { do: 'remove', path: join(folder.real, nameOf(path)), isPermanent } as const
    }),
  )
  const unused = new Set(steps)
  using _rest = { [Symbol.dispose]: () => void Promise.all([...unused].map((step) => step.cancel())) }
  for (const [n, { path, requestedPath: asked }] of entries.entries()) {
    const step = steps[n]
    if (!step) return
    const own = { ...context.own, recheck: recheckOf(context.actor, 'delete', [path]) }
    try {
      const about = await removeOne({ ...context, own }, { folder, path, step })
      unused.delete(step)
      removed.push(step)
      await context.hooks.after('delete', about)
      results.push({ path: asked, status: 200 })
    } catch (error) {
      if (isEnd(error)) throw error
      results.push(refused(asked, error))
    }
    if (performance.now() > until) return
  }
}

/** The first entries of a list that are in one folder, at most one batch. */
function firstBatch(entries: readonly RemovalRequest[]): readonly RemovalRequest[] {
  const folder = parentOf(entries[0]?.path ?? rootPath)
  const end = entries.findIndex(({ path }, n) => n === batchLimits.entries || parentOf(path) !== folder)
  return end === -1 ? entries : entries.slice(0, end)
}

function isHeld(found: unknown): found is OpenPath {
  return typeof found === 'object' && found !== null && 'real' in found
}

/** Whether no further entry can be deleted after this error. */
function isEnd(error: unknown): boolean {
  return !(error instanceof Problem) || error.code === 'auth.required'
}

/** The result of a refused entry. @throws any error that is not a Problem. */
function refused(path: string, error: unknown): DeleteResult {
  if (!(error instanceof Problem)) throw error
  const { status, code, message: detail } = error
  return { path, status, code, detail }
}
