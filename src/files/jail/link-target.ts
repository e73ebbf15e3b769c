import { closeSync, fstatSync, type Stats } from 'node:fs'
import type { Allows } from '#src/core/access/rules.ts'
import { openSync, readlinkSync, realpathSync, statSync } from '#src/files/paths/disk.ts'
import { barring } from '#src/files/paths/reach.ts'
import { leadsFar } from '#src/files/paths/remote-mounts.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { trueNameNow } from '#src/files/paths/true-name.ts'

/** How far links are followed: a scope, what is secret in it, and what rules allow. */
export interface Reach {
  /** Real path of the scope. */
  root: SafePath
  secret: readonly string[]
  allows: Allows
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
    const { real, stats } = follow(address)
    const code = barring(reach, trueNameNow(real))
    if (code === 'path.outside') return 'broken'
    return code ? undefined : stats
  } catch {
    return 'broken' // a loop, a missing target, a folder that may not be entered: all lead nowhere
  }
}

// open(2): a descriptor that only marks a place, see the jail.
const O_PATH = 0o10000000

/** Where a link leads. On Linux one open asks the kernel, and what is checked is what is looked at. */
function follow(address: string): { real: string; stats: Stats } {
  if (process.platform !== 'linux') return followByName(address)
  const fd = openSync(address, O_PATH)
  try {
    const real = readlinkSync(`/proc/self/fd/${fd}`)
    // Linux writes this after the name of what was just replaced.
    return real.endsWith(' (deleted)') ? followByName(address) : { real, stats: fstatSync(fd) }
  } finally {
    closeSync(fd)
  }
}

function followByName(address: string): { real: string; stats: Stats } {
  const real = realpathSync(address)
  return { real, stats: statSync(real) }
}
