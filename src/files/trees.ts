import { constants, type Stats } from 'node:fs'
import { lstat, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { errnoOf, ignoreMissing, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import type { Turns } from '#src/core/turns.ts'
import type { MostModes } from './copy-tree.ts'
import type { Jail } from './jail.ts'
import { type Located, present } from './locate.ts'
import { nameable } from './naming.ts'
import type { Parts } from './parts.ts'
import { isInside } from './reach.ts'
import { isOneEntry, isSameFile, type Landing, refuseReplacing, settle } from './settle.ts'
import { temporaryName } from './temporary.ts'
import type { FileState, TreeResult, TreeTask } from './tree-tasks.ts'
import { isWithin, mostDeep } from './user-path.ts'
import type { createWorkers } from './workers.ts'

/** Threads that work on trees. */
export type TreeWorkers = Pick<ReturnType<typeof createWorkers<TreeTask, TreeResult>>, 'run'>

/** The workers for one of many who want them: nobody has all. @param who is counted */
export function inTurn(workers: TreeWorkers, turns: Turns, who: string): TreeWorkers {
  return {
    async run(task, how) {
      using _turn = await turns.enter(who)
      return await workers.run(task, how)
    },
  }
}

/** What acting on a whole tree needs to know of who acts. */
export interface Hands {
  jail: Jail
  rules: readonly Rule[]
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
  await checkRules(hands, target, target)
  const part = await hands.parts.begin(target.folder.real, temporaryName())
  const hidden = join(target.folder.address, part.name)
  try {
    await rename(target.address, hidden).catch(onPath(target.asked))
    try {
      // Asked again now that nobody can put anything into it.
      await checkRules(hands, { address: hidden }, target)
      const { gone = [] } = await run(hands, { kind: 'remove', address: hidden }, [target])
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
  const check = async (tree: { address: string }) => {
    for (const place of [from, to]) await checkRules(hands, tree, place)
  }
  await check(from)
  try {
    await settle(from.address, to)
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') onPath(to.asked)(error)
    await copyTo(hands, from, { to, most: { file: 0o777, dir: 0o777 } })
    return removeTree(hands, from)
  }
  // Something denied may have been put into it between the question and the move.
  await check(to).catch(async (error) => {
    await giveBack(stats, from, to)
    throw error
  })
  hands.forget(to.stats ? [stats, to.stats] : [stats])
  await flush(from.folder.address)
  await flush(to.folder.address)
}

/** Undoes a move, unless somebody has changed one of the two names since: what is theirs stays. */
async function giveBack(stats: Stats, from: Located, to: Landing): Promise<void> {
  await to.alone(async () => {
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
  for (const each of [from, place]) await checkRules(hands, from, each, realOf(from))
}

/** A place as rules know it, and as a refusal names it. */
type Named = Pick<Located, 'path' | 'asked'>

async function copyTo(
  hands: Hands,
  from: Located,
  { to, most }: { to: Landing; most: MostModes },
): Promise<void> {
  const part = await hands.parts.begin(to.folder.real, temporaryName())
  const hidden = join(to.folder.address, part.name)
  try {
    const source = { from: from.address, fromReal: realOf(from), fromPath: from.path }
    const { rules, jail } = hands
    const task = { ...source, to: hidden, toPath: to.path, rules, secret: jail.secret, most }
    await run(hands, { kind: 'copy', ...task }, [to, from])
    await flush(hidden)
    await settle(hidden, to).catch(onPath(to.asked))
    await flush(to.folder.address)
  } catch (error) {
    // The first failure is the one to tell.
    await hands.workers.run({ kind: 'remove', address: hidden }).catch(() => {})
    throw error
  } finally {
    await part.end()
  }
}

/** A place where something of Coffer's own lies, or is to lie, is neither moved nor deleted, and nothing is put there. */
function refuseSecret({ jail }: Hands, place: Located): void {
  const holdsSecret = jail.secret.some((secret) => isInside(secret, realOf(place)))
  if (holdsSecret) throw new Problem('path.forbidden', { path: place.asked })
}

function realOf({ folder, name }: Located): string {
  return join(folder.real, name)
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

/**
 * Asks rules about everything in a tree, as if it lay at `place`.
 *
 * @param real where a tree is that is to be copied: what the copy leaves out is not asked about
 */
async function checkRules(
  hands: Hands,
  { address }: { address: string },
  place: Named,
  real?: string,
): Promise<void> {
  const { rules, jail } = hands
  if (rules.length === 0) return
  const copied = real === undefined ? {} : { copied: { real, secret: jail.secret } }
  await run(hands, { kind: 'check', address, path: place.path, rules, ...copied }, [place])
}

/** @param places what the task is about; a refusal names the first of them or what of its tree may be seen */
async function run(
  { workers, jail }: Hands,
  task: TreeTask,
  places: readonly [Named, ...Named[]],
): Promise<TreeResult> {
  const result = await workers.run(task).catch(onPath(places[0].asked))
  const { refused } = result
  if (!refused) return result
  const { code, path } = refused
  const place = places.find((each) => isWithin(path, each.path)) ?? places[0]
  throw new Problem(code, { path: nameable(jail, place, path), most: mostDeep })
}

function refuseInside(from: Located, to: Located): void {
  const isWithinItself = isWithin(to.path, from.path) && to.path !== from.path
  if (isWithinItself || isWithin(to.folder.path, from.path)) {
    throw new Problem('path.inside', { path: from.asked })
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
