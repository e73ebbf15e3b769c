import { constants, type Stats } from 'node:fs'
import { lstat, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { errnoOf, ignoreMissing, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import type { Turns } from '#src/core/turns.ts'
import type { MostModes } from './copy-tree.ts'
import type { Jail } from './jail.ts'
import { type Located, present } from './locate.ts'
import type { Parts } from './parts.ts'
import { isOneEntry, isSameFile, type Landing, refuseReplacing, settle } from './settle.ts'
import { temporaryName } from './temporary.ts'
import { answerOf, check, checkRules, type Named, realOf, refuseInside, refuseSecret } from './tree-checks.ts'
import type { FileState, TreeResult, TreeTask } from './tree-tasks.ts'
import { isWithin } from './user-path.ts'
import type { createWorkers } from './workers.ts'

/** Has a thread do one task. */
export type DoTask = (task: TreeTask) => Promise<TreeResult>

/** Threads that work on trees, for one of many who want them. */
export interface TreeWorkers {
  /** Waits for a turn, then gives `work` a thread for its tasks. @throws what `recheck` and `work` throw. */
  inTurn<T>(recheck: Recheck, work: (run: DoTask) => Promise<T>): Promise<T>
}

/** The workers for `who`, in turns: nobody has all of them. */
export function inTurn(
  workers: Pick<ReturnType<typeof createWorkers<TreeTask, TreeResult>>, 'run'>,
  turns: Turns,
  who: string,
): TreeWorkers {
  return {
    async inTurn(recheck, work) {
      using _turn = await turns.enter(who, { recheck })
      return await work((task) => workers.run(task, { recheck: unconditional }))
    },
  }
}

/** What acting on a whole tree needs to know of who acts. */
export interface Hands {
  jail: Jail
  /** Those of now, each time they are read: they may change while work waits. */
  readonly rules: readonly Rule[]
  /** Called whenever work begins that had to wait. */
  recheck: Recheck
  parts: Parts
  workers: TreeWorkers
  /** What new files and folders may be. */
  modes: { fileMode: number; dirMode: number }
  /** Told of states of files that are no more, at any time after. */
  forget(states: readonly FileState[]): void
}

/**
 * Deletes a file, a link, or a folder with all in it. It first gets a hidden name, so that it is gone at once and whole,
 * then it is removed; a crash meanwhile is finished at the next start. When something in it is denied, or cannot be
 * removed, what is left comes back under its name.
 *
 * @throws Problem `path.unknown`, `path.forbidden`, or what the system says.
 */
export async function removeTree(hands: Hands, target: Located): Promise<void> {
  refuseSecret(hands, target)
  await checkRules(hands, { address: target.address, place: target })
  const part = await hands.parts.begin(target.folder.real, temporaryName())
  const hidden = join(target.folder.address, part.name)
  try {
    await rename(target.address, hidden).catch(onPath(target.asked))
    try {
      const { gone = [] } = await hands.workers.inTurn(hands.recheck, async (run) => {
        // Checked again in the same turn: now nobody can put anything into it, and the rules are those of now.
        await check(run, hands, { address: hidden, place: target })
        return answerOf(run({ kind: 'remove', address: hidden }), hands.jail, [target])
      })
      hands.forget([present(target), ...gone])
    } catch (error) {
      await comeBack(hidden, target)
      throw error
    }
  } finally {
    await part.end()
  }
  await flush(target.folder.address)
}

/**
 * Renames within one disk, or copies to the other disk and deletes. `to` must be free, or a file that may be replaced by
 * a file. At every moment the thing has at least one of its two names.
 *
 * @throws Problem `path.exists`, `path.inside`, `path.forbidden`, or what the system says.
 */
export async function moveTree(hands: Hands, from: Located, to: Landing): Promise<void> {
  const stats = present(from)
  refuseInside(from, to)
  refuseSecret(hands, from)
  if (to.isRespelled || isOneEntry(from, to)) {
    return rename(from.address, to.address).catch(onPath(to.asked))
  }
  refuseReplacing(stats, to)
  refuseSecret(hands, to)
  const checkBoth = async ({ address }: { address: string }) => {
    for (const place of [from, to]) await checkRules(hands, { address, place })
  }
  await checkBoth(from)
  try {
    await settle(from.address, to)
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') onPath(to.asked)(error)
    await copyTo(hands, from, { to, most: { file: 0o777, dir: 0o777 } })
    return removeTree(hands, from)
  }
  // Something denied may have been put into it between the question and the move.
  await checkBoth(to).catch(async (error) => {
    await giveBack(stats, from, to)
    throw error
  })
  hands.forget(to.stats ? [stats, to.stats] : [stats])
  await flush(from.folder.address)
  await flush(to.folder.address)
}

/** Undoes a move, unless somebody has changed one of the two names since: what is theirs stays. */
async function giveBack(stats: Stats, from: Located, to: Landing): Promise<void> {
  await to.alone(unconditional, async () => {
    const moved = await lstat(to.address).catch(ignoreMissing)
    const taken = await lstat(from.address).catch(ignoreMissing)
    if (isSameFile(stats, moved) && !taken) await rename(to.address, from.address)
  })
}

/**
 * Copies a file or a folder with all in it. The copy grows under a hidden name and appears whole or not at all. Like
 * everything new it is open to nobody beyond the modes of new files and folders, but its owner may run what could be run.
 *
 * What is Coffer's own is left out: its files, and what others are still sending.
 *
 * @param from what is copied; it is not followed when it is a link
 * @throws Problem `path.exists`, `path.inside`, `path.forbidden`, `path.special`, `path.deep`, `disk.full`.
 */
export async function copyTree(hands: Hands, from: Located, to: Landing): Promise<void> {
  refuseInside(from, to)
  refuseReplacing(present(from), to)
  refuseSecret(hands, to)
  const { fileMode, dirMode } = hands.modes
  await copyTo(hands, from, { to, most: { file: fileMode | 0o100, dir: dirMode } })
}

/**
 * Asks beforehand what copying or moving to `place` would ask once the folders above it are made.
 *
 * @throws Problem `path.inside`, `path.forbidden`.
 */
export async function checkLanding(hands: Hands, from: Located, place: Named): Promise<void> {
  if (isWithin(place.path, from.path)) throw new Problem('path.inside', { path: from.asked })
  for (const each of [from, place]) {
    await checkRules(hands, { address: from.address, place: each, real: realOf(from) })
  }
}

async function copyTo(
  hands: Hands,
  from: Located,
  { to, most }: { to: Landing; most: MostModes },
): Promise<void> {
  const part = await hands.parts.begin(to.folder.real, temporaryName())
  const hidden = join(to.folder.address, part.name)
  try {
    const source = { from: from.address, fromReal: realOf(from), fromPath: from.path }
    await hands.workers.inTurn(hands.recheck, (run) => {
      const { rules, jail } = hands
      const task = { ...source, to: hidden, toPath: to.path, rules, secret: jail.secret, most }
      return answerOf(run({ kind: 'copy', ...task }), jail, [to, from])
    })
    await flush(hidden)
    await settle(hidden, to).catch(onPath(to.asked))
    await flush(to.folder.address)
  } catch (error) {
    // The first failure is the one to tell.
    await hands.workers
      .inTurn(unconditional, (run) => run({ kind: 'remove', address: hidden }))
      .catch(() => {})
    throw error
  } finally {
    await part.end()
  }
}

async function comeBack(hidden: string, target: Located): Promise<void> {
  if (!(await lstat(hidden).catch(ignoreMissing))) return
  // Someone may have taken the name meanwhile; theirs stays, ours comes back beside it rather than not at all.
  for (let n = 0; n < 100; n++) {
    const address = n === 0 ? target.address : join(target.folder.address, `${target.name} (${n})`)
    if (await lstat(address).catch(ignoreMissing)) continue
    await rename(hidden, address)
    return
  }
}

async function flush(address: string): Promise<void> {
  if (process.platform === 'win32') return // folders cannot be opened there
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  const isHeldName = /^\/proc\/self\/fd\/\d+$/.test(address)
  const handle = await open(address, isHeldName ? O_RDONLY : O_RDONLY | O_NOFOLLOW).catch(ignoreUnopenable)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

function ignoreUnopenable(error: unknown): undefined {
  // A link, or a file its owner may not read, has nothing of its own to flush.
  if (!['ELOOP', 'EACCES', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error
}
