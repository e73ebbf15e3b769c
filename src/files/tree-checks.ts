import { join } from 'node:path'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import type { Jail } from './jail.ts'
import type { Located } from './locate.ts'
import { nameable } from './naming.ts'
import { isInside } from './reach.ts'
import type { TreeResult } from './tree-tasks.ts'
import type { DoTask, Hands } from './trees.ts'
import { isWithin, mostDeep } from './user-path.ts'

/** A place as rules know it, and as a refusal names it. */
export type Named = Pick<Located, 'path' | 'asked'>

/** A tree on the disk, and the place that rules are asked about as if it lay there. */
export interface Checked {
  address: string
  place: Named
  /** Where a tree is that is to be copied: what the copy leaves out is not asked about. */
  real?: string
}

/** Checks a whole tree against rules, in a turn of its own. @throws as `check`. */
export async function checkRules(hands: Hands, checked: Checked): Promise<void> {
  if (hands.rules.length === 0) return
  await hands.workers.inTurn(hands.recheck, (run) => check(run, hands, checked))
}

/** Checks a whole tree against rules. @throws Problem `path.forbidden`, or what the system says. */
export async function check(
  run: DoTask,
  { rules, jail }: Hands,
  { address, place, real }: Checked,
): Promise<void> {
  if (rules.length === 0) return
  const copied = real === undefined ? {} : { copied: { real, secret: jail.secret } }
  await answerOf(run({ kind: 'check', address, path: place.path, rules, ...copied }), jail, [place])
}

/**
 * What a task answers.
 *
 * @param places what the task is about; a refusal names the first of them or what of its tree may be seen
 * @throws Problem its refusal, or what the system says.
 */
export async function answerOf(
  asked: Promise<TreeResult>,
  jail: Jail,
  places: readonly [Named, ...Named[]],
): Promise<TreeResult> {
  const result = await asked.catch(onPath(places[0].asked))
  const { refused } = result
  if (!refused) return result
  const { code, path } = refused
  const place = places.find((each) => isWithin(path, each.path)) ?? places[0]
  const details = { path: nameable(jail, place, path) }
  throw new Problem(code, code === 'path.deep' ? { ...details, most: mostDeep } : details)
}

/** @throws Problem `path.inside` when something is to be put into itself. */
export function refuseInside(from: Located, to: Located): void {
  const isWithinItself = isWithin(to.path, from.path) && to.path !== from.path
  if (isWithinItself || isWithin(to.folder.path, from.path)) {
    throw new Problem('path.inside', { path: from.asked })
  }
}

/** A place where something of Coffer's own lies, or is to lie, is neither moved nor deleted, and nothing is put there. */
export function refuseSecret({ jail }: Hands, place: Located): void {
  const holdsSecret = jail.secret.some((secret) => isInside(secret, realOf(place)))
  if (holdsSecret) throw new Problem('path.forbidden', { path: place.asked })
}

/** Where a name really is. */
export function realOf({ folder, name }: Located): string {
  return join(folder.real, name)
}
