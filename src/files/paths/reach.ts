import { relative, sep } from 'node:path'
import { foldPath } from '#src/core/text/fold.ts'
import type { Jail, TruePlace } from './scope.ts'
import { hasTemporary } from './temporary.ts'
import { isWithin, rootPath, type UserPath } from './user-path.ts'

/**
 * Why a place may not be read; undefined: it may. Every reader of a place asks this, whether it comes by a path or by a
 * link that it found. Names in a folder are `read-folder.ts`'s business, which asks the same.
 *
 * @param place undefined for what its folder lists under no such name: that is nowhere
 */
export function barring(
  reach: Pick<Jail, 'root' | 'secret' | 'allows'>,
  place: TruePlace | undefined,
): 'path.outside' | 'path.unknown' | 'path.forbidden' | undefined {
  if (!place) return 'path.unknown'
  const { real, folds } = place
  if (!isInside(real, reach.root)) return 'path.outside'
  const inside = virtual(reach, real)
  if (isSecret(reach, real, folds) || hasTemporary(inside)) return 'path.unknown'
  return reach.allows(inside, folds) ? undefined : 'path.forbidden'
}

/** Whether the real path `real` is one that nobody reaches through Coffer; with `folds`, in any spelling. */
export function isSecret(jail: Pick<Jail, 'secret'>, real: string, folds = false): boolean {
  if (jail.secret.some((secret) => isInside(real, secret))) return true
  return folds && jail.secret.some((secret) => isInside(foldPath(real), foldPath(secret)))
}

/** Where a real path is in the jail, as its owner would write it. */
export function virtual(jail: Pick<Jail, 'root'>, real: string): UserPath {
  if (sep === '/' && isWithin(real, jail.root)) {
    const root: string = jail.root
    return (root === '/' ? real : real.slice(root.length) || rootPath) as UserPath
  }
  const inside = relative(jail.root, real)
  return `/${sep === '/' ? inside : inside.split(sep).join('/')}` as UserPath
}

/** Whether the real path `real` is `folder` or lies below it. */
export function isInside(real: string, folder: string): boolean {
  return sep === '/'
    ? isWithin(real, folder)
    : real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
