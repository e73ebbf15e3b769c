import { join } from 'node:path'
import { Problem } from '#src/core/problem.ts'
import { foldName } from '#src/core/text/fold.ts'
import { runTask } from '#src/files/paths/ask-disk.ts'
import { lstat, mkdir, rmdir } from '#src/files/paths/disk.ts'
import { cachedFolding, type Folding, foldingIn } from '#src/files/paths/folding.ts'
import { isSecret } from '#src/files/paths/path-access.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { isReserved, temporaryName } from '#src/files/paths/temporary.ts'
import { type EntryMatch, findEntry } from '#src/files/paths/true-name.ts'
import { childOf } from '#src/files/paths/user-path.ts'

/** A name in an open folder that will be created or replaced. */
export interface NewName {
  /** As the folder spells it, if it exists. */
  name: string
  /** The path for system calls. */
  address: string
  /** The same text for all spellings of the name: for locks and for reserved names. */
  key: string
}

/**
 * Checks that a name inside an open folder may be created or replaced, and returns it.
 *
 * @throws Problem `path.forbidden` if a rule denies the name, if Coffer reserves it, or if it would open an entry that
 * the folder lists under another name.
 */
export async function newNameIn(jail: Jail, folder: OpenPath, typed: string): Promise<NewName> {
  const folding = await foldingOf(folder)
  const found: EntryMatch = folding.own ? await runTask(findEntry(folder.address, typed)) : 'none'
  const name = typeof found === 'string' ? typed : found.name
  if (found === 'unlisted' || !(await isPermitted(jail, folder, { name, folding }))) {
    throw new Problem('path.forbidden', { path: childOf(folder.asked, typed) })
  }
  const key = join(folder.real, folding.own ? foldName(name) : name)
  return { name, address: join(folder.address, name), key }
}

async function foldingOf({ real }: OpenPath): Promise<Folding> {
  return cachedFolding(real) ?? runTask(foldingIn(real))
}

/** Whether names in an open folder, or on the path to it, have several spellings. */
export async function foldsIn(folder: OpenPath): Promise<boolean> {
  return (await foldingOf(folder)).any
}

async function isPermitted(
  jail: Jail,
  folder: OpenPath,
  { name, folding }: { name: string; folding: Folding },
): Promise<boolean> {
  if (!isShown(jail, folder, { name, folds: folding.any })) return false
  // An empty folder does not show whether it folds names. If the result depends on it, the folder is probed.
  const matters = !folding.isSure && !isShown(jail, folder, { name, folds: true })
  return !(matters && (await foldsInProbe(folder)))
}

/** Whether a name in a folder may be shown: no rule denies it, and it is not one of Coffer's own files. */
export function isShown(
  jail: Pick<Jail, 'allows' | 'secret'>,
  folder: Pick<OpenPath, 'path' | 'real'>,
  { name, folds }: { name: string; folds: boolean },
): boolean {
  const isOwn = isReserved(name) || isSecret(jail, join(folder.real, name), folds)
  return !isOwn && jail.allows(childOf(folder.path, name), folds)
}

/** Creates a temporary folder and opens it in another spelling. False if nothing can be created in the folder. */
async function foldsInProbe({ address }: OpenPath): Promise<boolean> {
  const probe = temporaryName()
  try {
    await mkdir(join(address, probe), { mode: 0o700 })
  } catch {
    return false
  }
  try {
    return await lstat(join(address, probe.toUpperCase())).then(
      () => true,
      () => false,
    )
  } finally {
    await rmdir(join(address, probe)).catch(() => {})
  }
}
