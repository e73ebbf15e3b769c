import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { ChangedPath, UndoResult } from '#contract/history/operations.ts'
import { denialOf, type Verb } from '#src/access/authorize.ts'
import type { Actor } from '#src/access/principal.ts'
import { type Clock, isFuture } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import type { RestoreRequest } from '#src/entries/restore.ts'
import type { Transfers } from '#src/entries/transfers.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import { isInside, pathInJail } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { StoredStep } from './operation-records.ts'

/** What undoing needs: the services that do the same for requests, with all their checks. */
export interface UndoTools {
  entries: Pick<Transfers, 'remove' | 'move' | 'restore'>
  /** The real path of the served folder. */
  root: string
  clock: Clock
}

/** Does the reverse of a step. */
interface Reversal {
  tools: UndoTools
  actor: Actor
  jail: Jail
  step: StoredStep
  /** Whether the permission for the step is enough to take it back. */
  isRecent: boolean
  /** Notes why a part of the step was left. @throws the error, if it is not a problem of the request. */
  leave(error: unknown): void
}

/**
 * Does the reverse of the steps of an operation, the last first, with the present rights of the user. Leaves what has
 * changed since, and never overwrites anything.
 *
 * @param operation.time when the operation began, in milliseconds since 1970
 * @returns what was done, and what was left and why
 */
export async function undoSteps(
  tools: UndoTools,
  actor: Actor,
  { steps, time }: { steps: readonly StoredStep[]; time: number },
): Promise<Pick<UndoResult, 'done' | 'left'>> {
  const result: Pick<UndoResult, 'done' | 'left'> = { done: [], left: [] }
  const jail = await actor.jail()
  const isRecent = tools.clock() - time < recentMs && !isFuture(time, tools.clock())
  const undo = async (step: StoredStep) => {
    const leave = (error: unknown) => {
      if (!(error instanceof Problem) || error.code === 'auth.required') throw error
      result.left.push({ path: shownPath(tools, jail, step), code: error.code, detail: error.message })
    }
    try {
      result.done.push(await undoStep({ tools, actor, jail, step, isRecent, leave }))
      undone.push(step)
    } catch (error) {
      leave(error)
    }
  }
  const undone: StoredStep[] = []
  const done = steps.filter((step) => step.isDone).toReversed()
  for (const step of done.filter((step) => !isNewFolder(step))) await undo(step)
  // New folders come last, the deepest first: steps that ran at the same time have used folders that one of them has made.
  const made = new Set(undone.flatMap((step) => step.made ?? []))
  const folders = new Map(done.filter(isNewFolder).map((step) => [step.path, step]))
  for (const { made: above = [] } of folders.values()) for (const folder of above) made.add(folder)
  for (const folder of [...new Set([...made, ...folders.keys()])].toSorted((a, b) => b.length - a.length)) {
    const step = folders.get(folder)
    await (step ? undo(step) : removeMade({ tools, actor, jail, isRecent }, folder))
  }
  return result
}

/** For an hour, who has done something may take it back with the permission that it needed, in milliseconds. */
const recentMs = 60 * 60_000

/** The permission for a reversal: the one that it needs in any case, or, for a recent operation, that of the step. */
function verbFor<T extends Verb>(
  { actor, isRecent }: Pick<Reversal, 'actor' | 'isRecent'>,
  needed: T,
  own: T,
): T {
  return isRecent && denialOf(actor, needed) !== undefined ? own : needed
}

/** Whether the step has created an empty folder. */
function isNewFolder(step: StoredStep): boolean {
  return step.do === 'put' && step.isFolder && step.entry === undefined
}

async function undoStep(reversal: Reversal): Promise<ChangedPath> {
  const { step } = reversal
  if (step.do === 'move') return undoMove(reversal, step.to)
  if (step.do === 'remove') return restoreKept(reversal, step.path)
  if (step.isKept) return restoreOld(reversal, step.path)
  // The old content is gone: without the new one, nothing would be left.
  if (step.hasReplaced) throw new Problem('kept.unknown')
  return removeNew(reversal)
}

/** Removes what the step has created. */
async function removeNew(reversal: Reversal): Promise<ChangedPath> {
  const { tools, actor, jail, step } = reversal
  const path = pathIn(tools, jail, step.path)
  const check = sameAsAfter(step, path)
  const verb = verbFor<'create' | 'delete'>(reversal, 'delete', 'create')
  // Others may have added something to a new folder.
  await tools.entries.remove(actor, path, { check, onlyEmpty: isNewFolder(step), keepsContent: true, verb })
  return { path }
}

/** Removes a folder that was made for a step, if it is empty. */
async function removeMade(
  reversal: Pick<Reversal, 'tools' | 'actor' | 'jail' | 'isRecent'>,
  folder: string,
): Promise<void> {
  const { tools, actor, jail } = reversal
  const verb = verbFor<'create' | 'delete'>(reversal, 'delete', 'create')
  await tools.entries
    .remove(actor, pathIn(tools, jail, folder), { onlyEmpty: true, keepsContent: true, verb })
    .catch(() => {}) // others may have added something to it
}

/** Puts the old content of a file, or a replaced folder, in the place of the new one. */
async function restoreOld({ tools, actor, jail, step }: Reversal, served: string): Promise<ChangedPath> {
  const path = pathIn(tools, jail, served)
  const check = sameAsAfter(step, path)
  const kept = { ...keptBy(step), was: served, to: path }
  const request = { ...kept, whenTaken: 'replace', replacesFolder: true, check } as const
  return { path: await tools.entries.restore(actor, request) }
}

/** Restores what the step has removed or replaced, under its name, which must be free. */
async function restoreKept(reversal: Reversal, served: string): Promise<ChangedPath> {
  const { tools, actor, jail, step } = reversal
  if (!step.isKept) throw new Problem('kept.unknown')
  const path = pathIn(tools, jail, served)
  const verb = step.do === 'remove' ? verbFor<'create' | 'delete'>(reversal, 'create', 'delete') : 'create'
  const request = { ...keptBy(step), was: served, to: path, whenTaken: 'refuse', verb } as const
  return { path: await tools.entries.restore(actor, request) }
}

/** The item that a step has kept. A folder that was replaced by a restored one may be in the trash. */
function keptBy({
  do: verb,
  item: id,
  place = '',
}: StoredStep): Pick<RestoreRequest, 'id' | 'kind' | 'place'> {
  return { id, kind: verb === 'remove' || verb === 'restore' ? 'trash' : 'version', place }
}

async function undoMove(reversal: Reversal, served: string): Promise<ChangedPath> {
  const { tools, actor, jail, step } = reversal
  const from = pathIn(tools, jail, served)
  const to = pathIn(tools, jail, step.path)
  const transfer = { from, to, override: false, rename: false }
  await tools.entries.move(actor, transfer, sameAsAfter(step, from))
  if (step.isKept || step.hasReplaced) await restoreKept(reversal, served).catch(reversal.leave)
  return { path: from, to }
}

/** Returns a check that an entry is the one that the step has left, with the same content. */
function sameAsAfter({ after }: StoredStep, path: UserPath): (stats: Stats | undefined) => void {
  return (stats) => {
    const isSame = stats && after?.entry === identityOf(stats)
    const isSameContent = stats?.isDirectory() || (stats && after?.etag === etagOf(stats))
    if (!isSame || !isSameContent) throw new Problem('path.changed', { path })
  }
}

/** The path in the scope of the user. @throws Problem `path.unknown` when it is outside. */
function pathIn({ root }: UndoTools, jail: Jail, served: string): UserPath {
  const real = join(root, served)
  if (!isInside(real, jail.root)) throw new Problem('path.unknown', { path: 'this' })
  return pathInJail(jail, real)
}

function shownPath(tools: UndoTools, jail: Jail, step: StoredStep): string {
  try {
    return pathIn(tools, jail, 'to' in step ? step.to : step.path)
  } catch {
    return ''
  }
}
