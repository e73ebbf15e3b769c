import { join } from 'node:path'
import { Problem } from '#src/core/problem.ts'
import { fold } from '#src/core/text/fold.ts'
import { ask } from '#src/files/paths/ask-disk.ts'
import { lstat, mkdir, rmdir } from '#src/files/paths/disk.ts'
import { type Folding, foldingIn, recall } from '#src/files/paths/folding.ts'
import { isSecret } from '#src/files/paths/reach.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { isTemporary, temporaryName } from '#src/files/paths/temporary.ts'
import { type Entry, entryIn } from '#src/files/paths/true-name.ts'
import { childOf } from '#src/files/paths/user-path.ts'

/** A name in a held folder that is to be made or replaced. */
export interface Fresh {
  /** As the folder spells it, if it is there. */
  name: string
  /** The name for system calls. */
  address: string
  /** The same text for all spellings of the name: for locks, and for names that are promised to somebody. */
  key: string
}

/**
 * A name inside a held folder that is to be made or replaced, once it is proven that it may be.
 *
 * @throws Problem `path.forbidden` for a rule, a name that Coffer keeps for itself, and one that would open something that
 * the folder lists under another name.
 */
export async function freshIn(jail: Jail, folder: OpenPath, typed: string): Promise<Fresh> {
  const folding = await foldingOf(folder)
  const found: Entry = folding.own ? await ask(entryIn(folder.address, typed)) : 'none'
  const name = typeof found === 'string' ? typed : found.name
  if (found === 'unlisted' || !(await mayBe(jail, folder, { name, folding }))) {
    throw new Problem('path.forbidden', { path: childOf(folder.asked, typed) })
  }
  const key = join(folder.real, folding.own ? fold(name) : name)
  return { name, address: join(folder.address, name), key }
}

async function foldingOf({ real }: OpenPath): Promise<Folding> {
  return recall(real) ?? ask(foldingIn(real))
}

/** Whether names in a held folder, or on the way to it, have several spellings. */
export async function foldsIn(folder: OpenPath): Promise<boolean> {
  return (await foldingOf(folder)).any
}

async function mayBe(
  jail: Jail,
  folder: OpenPath,
  { name, folding }: { name: string; folding: Folding },
): Promise<boolean> {
  if (!isShown(jail, folder, { name, folds: folding.any })) return false
  // A folder without names has not shown whether it folds. It matters only where that decides, so there it is tried.
  const decides = !folding.isSure && !isShown(jail, folder, { name, folds: true })
  return !(decides && (await foldsByTrial(folder)))
}

/** Whether a name in a folder may be known of: no rule denies it, and Coffer does not keep it for itself. */
export function isShown(
  jail: Pick<Jail, 'allows' | 'secret'>,
  folder: Pick<OpenPath, 'path' | 'real'>,
  { name, folds }: { name: string; folds: boolean },
): boolean {
  const isOurs = isTemporary(name) || isSecret(jail, join(folder.real, name), folds)
  return !isOurs && jail.allows(childOf(folder.path, name), folds)
}

/** Makes something for a moment and asks for it in another spelling. A folder where nothing can be made folds nothing. */
async function foldsByTrial({ address }: OpenPath): Promise<boolean> {
  const trial = temporaryName()
  try {
    await mkdir(join(address, trial), { mode: 0o700 })
  } catch {
    return false
  }
  try {
    return await lstat(join(address, trial.toUpperCase())).then(
      () => true,
      () => false,
    )
  } finally {
    await rmdir(join(address, trial)).catch(() => {})
  }
}
