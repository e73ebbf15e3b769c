import { constants, type Stats } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, ignoreMissing, isFull, onPath } from '#src/core/errno.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import { Problem } from '#src/core/problem.ts'
import { unconditional } from '#src/core/recheck.ts'
import { type Located, present } from '#src/files/jail/locate.ts'
import { lstat, open, rename } from '#src/files/paths/disk.ts'
import { isInside } from '#src/files/paths/reach.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { temporaryName } from '#src/files/paths/temporary.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import type { MostModes } from '#src/files/tree-walk/copy-tree.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import {
  type Destination,
  isOneEntry,
  isSameFile,
  refuseReplacing,
  renameIntoPlace,
} from '#src/files/writing/rename-into-place.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { answerOf, type Checking, check, checkRules, type Named } from './tree-checks.ts'

/** What acting on a whole tree needs to know of who acts. */
export interface Hands extends Checking {
  parts: TempFileJournal
  /** What new files and folders may be. */
  modes: { fileMode: number; dirMode: number }
  /** Told of states of files that are no more, at any time after. */
  forget(states: readonly FileState[]): void
}

/**
 * Deletes a file, a link, or a folder with all in it. A folder first gets a hidden name, so that it is gone at once and
 * whole, then it is removed; a crash meanwhile is finished at the next start. When something in it is denied, or cannot be
 * removed, what is left comes back under its name. On a disk that is too full even for the hidden name, a folder is
 * emptied where it is.
 *
 * @throws Problem `path.unknown`, `path.forbidden`, or what the system says.
 */
export async function removeTree(hands: Hands, target: Located): Promise<void> {
  await removeUnflushed(hands, target)
  await flush(target.folder.address)
}

/** As `removeTree`, for several things of one folder: it is certain only after `flushRemovals` that they stay deleted. */
export async function removeUnflushed(hands: Hands, target: Located): Promise<void> {
  refuseSecret(hands, target)
  await checkRules(hands, { address: target.address, place: target })
  // One system call removes a file whole: it needs no hidden name.
  const isFolder = present(target).isDirectory()
  const gone =
    (isFolder ? await removeHidden(hands, target) : undefined) ?? (await removeInPlace(hands, target))
  hands.forget([present(target), ...gone])
}

/** Waits until the disk has what was deleted in a folder. */
export async function flushRemovals({ address }: OpenPath): Promise<void> {
  await flush(address)
}

/** Answers undefined, with nothing changed, when the disk has no room for the hidden name or for the note about it. */
async function removeHidden(hands: Hands, target: Located): Promise<readonly FileState[] | undefined> {
  const part = await hands.parts.begin(target.folder.real, temporaryName()).catch(ignoreFull)
  if (!part) return undefined
  const hidden = join(target.folder.address, part.name)
  try {
    // A longer name may need another block of the folder.
    const hiding = rename(target.address, hidden).then(() => true)
    if (!(await hiding.catch(onPath(target.asked)).catch(ignoreFull))) return undefined
    try {
      const { gone = [] } = await hands.workers.inTurn(hands.recheck, async (run) => {
        // Checked again in the same turn: now nobody can put anything into it, and the rules are those of now.
        await check(run, hands, { address: hidden, place: target })
        return answerOf(run({ kind: 'remove', address: hidden }), hands.jail, [target])
      })
      return gone
    } catch (error) {
      await comeBack(hidden, target)
      throw error
    }
  } finally {
    await part.end()
  }
}

/** Others may still put something into it: rules are asked about each thing right before it is removed. */
async function removeInPlace(hands: Hands, target: Located): Promise<readonly FileState[]> {
  const { gone = [] } = await hands.workers.inTurn(hands.recheck, (run) => {
    const { address, path } = target
    const task = { kind: 'remove', address, within: { path, rules: hands.rules } } as const
    return answerOf(run(task), hands.jail, [target])
  })
  return gone
}

/**
 * Renames within one disk, or copies to the other disk and deletes. `to` must be free, or a file that may be replaced by
 * a file. At every moment the thing has at least one of its two names.
 *
 * @throws Problem `path.exists`, `path.inside`, `path.forbidden`, or what the system says.
 */
export async function moveTree(hands: Hands, from: Located, to: Destination): Promise<void> {
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
    await renameIntoPlace(from.address, to)
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
async function giveBack(stats: Stats, from: Located, to: Destination): Promise<void> {
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
export async function copyTree(hands: Hands, from: Located, to: Destination): Promise<void> {
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
  { to, most }: { to: Destination; most: MostModes },
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
    await renameIntoPlace(hidden, to, true).catch(onPath(to.asked))
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

function ignoreFull(error: unknown): undefined {
  if (!isFull(error)) throw error
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

function refuseInside(from: Located, to: Located): void {
  const isWithinItself = isWithin(to.path, from.path) && to.path !== from.path
  if (isWithinItself || isWithin(to.folder.path, from.path)) {
    throw new Problem('path.inside', { path: from.asked })
  }
}

async function flush(address: string): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  const isHeldName = /^\/proc\/self\/fd\/\d+$/.test(address)
  const flags = isHeldName ? O_RDONLY : O_RDONLY | O_NOFOLLOW
  await flushFolder(() => open(address, flags).catch(ignoreUnopenable))
}

function ignoreUnopenable(error: unknown): undefined {
  // A link, or a file its owner may not read, has nothing of its own to flush.
  if (!['ELOOP', 'EACCES', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error
}
