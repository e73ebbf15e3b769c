import { realpathSync, type Stats, statSync } from 'node:fs'
import { hasTemporary, isSecret, type SafePath, virtual } from './jail.ts'
import { leadsFar } from './mounts.ts'
import { isWithin } from './user-path.ts'

/** How far links are followed: a scope, what is secret in it, and what rules allow. */
export interface Reach {
  /** Real path of the scope. */
  root: SafePath
  secret: readonly string[]
  allows: (path: string) => boolean
}

/**
 * What a link leads to, for telling of it: `broken` when that is nowhere or outside the scope, undefined when nobody may
 * know of it. Synchronous: for workers.
 *
 * @param address the name of the link for system calls
 */
export function targetOf(address: string, reach: Reach): Stats | 'broken' | undefined {
  try {
    if (leadsFar(address, reach)) return 'broken'
    const real = realpathSync(address)
    if (!isWithin(real, reach.root)) return 'broken'
    const inside = virtual(reach, real)
    if (isSecret(reach, real) || hasTemporary(inside) || !reach.allows(inside)) return undefined
    return statSync(real)
  } catch {
    return 'broken' // a loop, a missing target, a folder that may not be entered: all lead nowhere
  }
}
