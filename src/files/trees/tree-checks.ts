import type { Rule } from '#contract/users.ts'
import type { Semaphore } from '#src/core/concurrency/semaphore.ts'
import type { createWorkerPool } from '#src/core/concurrency/worker-pool.ts'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import type { Located } from '#src/files/jail/locate.ts'
import { nameable } from '#src/files/jail/naming.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { isWithin, mostDeep } from '#src/files/paths/user-path.ts'
import type { TreeResult, TreeTask } from '#src/files/tree-walk/tree-tasks.ts'

/** Has a thread do one task. */
export type DoTask = (task: TreeTask) => Promise<TreeResult>

/** Threads that work on trees, for one of many who want them. */
export interface TreeWorkers {
  /** Waits for a turn, then gives `work` a thread for its tasks. @throws what `recheck` and `work` throw. */
  inTurn<T>(recheck: Recheck, work: (run: DoTask) => Promise<T>): Promise<T>
}

/** Queues tasks for the worker threads. No user (`who`) can occupy all threads at once. */
export function inTurn(
  workers: Pick<ReturnType<typeof createWorkerPool<TreeTask, TreeResult>>, 'run'>,
  turns: Semaphore,
  who: string,
): TreeWorkers {
  return {
    async inTurn(recheck, work) {
      using _turn = await turns.acquire(who, { recheck })
      return await work((task) => workers.run(task, { recheck: unconditional }))
    },
  }
}

/** What checking a whole tree needs to know of who asks. */
export interface Checking {
  jail: Jail
  /** Those of now, each time they are read: they may change while work waits. */
  readonly rules: readonly Rule[]
  /** Called whenever work begins that had to wait. */
  recheck: Recheck
  workers: TreeWorkers
}

/** A place as rules know it, and as a refusal names it. */
export type Named = Pick<Located, 'path' | 'asked'>

/** A tree on the disk, and the place that rules are asked about as if it lay there. */
export interface Checked {
  address: string
  place: Named
  /** Where a tree is that is to be copied: what the copy leaves out is not asked about. */
  real?: string
}

/** Checks a whole tree against rules when it is the turn of who asks. @throws as `check`. */
export async function checkRules(hands: Checking, checked: Checked): Promise<void> {
  if (hands.rules.length === 0) return
  await hands.workers.inTurn(hands.recheck, (run) => check(run, hands, checked))
}

/** Checks a whole tree against rules. @throws Problem `path.forbidden`, or what the system says. */
export async function check(
  run: DoTask,
  { rules, jail }: Pick<Checking, 'rules' | 'jail'>,
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
