import { closeSync, constants, fstatSync, type Stats } from 'node:fs'
import type { Allows } from '#src/core/access/rules.ts'
import { openSync, readlinkSync, realpathSync, statSync } from '#src/files/paths/disk.ts'
import { accessProblem } from '#src/files/paths/path-access.ts'
import { leadsToRemoteMount } from '#src/files/paths/remote-mounts.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { trueNameSync } from '#src/files/paths/true-name.ts'
import { isOwnFile } from './open-descriptor.ts'

/** The limits for following symbolic links: a scope, its secret paths, and the rules. */
export interface Reach {
  /** Real path of the scope. */
  root: SafePath
  secret: readonly string[]
  allows: Allows
}

/**
 * Returns the stats of the target of a symbolic link; `broken` when the target is missing or outside the scope;
 * undefined when it is hidden from the user. Synchronous, for worker threads.
 *
 * @param address the path of the link for system calls
 */
export function targetOf(address: string, reach: Reach): Stats | 'broken' | undefined {
  try {
    if (leadsToRemoteMount(address, reach)) return 'broken'
    const { real, stats } = follow(address)
    const code = accessProblem(reach, trueNameSync(real))
    if (code === 'path.outside') return 'broken'
    return code || isOwnFile(stats, reach.secret) ? undefined : stats
  } catch {
    return 'broken' // a loop, a missing target, a folder without permission
  }
}

/**
 * Opens the file at the end of a symbolic link, for reading. Undefined when the user may not read it, or when it is no
 * regular file. On Linux the checked file is the one that is opened. Synchronous, for worker threads.
 *
 * @throws the error of the system when the file cannot be opened.
 */
export function openTarget(address: string, reach: Reach): number | undefined {
  if (leadsToRemoteMount(address, reach)) return undefined
  const isLinux = process.platform === 'linux'
  const marked = isLinux ? openSync(address, O_PATH) : undefined
  try {
    const opened = marked === undefined ? undefined : `/proc/self/fd/${marked}`
    const real = opened ? readlinkSync(opened) : realpathSync(address)
    const stats = marked === undefined ? statSync(real) : fstatSync(marked)
    if (!stats.isFile() || accessProblem(reach, trueNameSync(real))) return undefined
    if (isOwnFile(stats, reach.secret)) return undefined
    return openSync(opened ?? real, forReading)
  } finally {
    if (marked !== undefined) closeSync(marked)
  }
}

// O_NONBLOCK: a pipe may have replaced the file in the meantime. Never blocks on it.
const forReading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

// open(2): a descriptor that only refers to a path, see `mark.ts`.
const O_PATH = 0o10000000

/** Resolves a link. On Linux with one open call, so the checked entry is the one whose stats are returned. */
function follow(address: string): { real: string; stats: Stats } {
  if (process.platform !== 'linux') return followByName(address)
  const fd = openSync(address, O_PATH)
  try {
    const real = readlinkSync(`/proc/self/fd/${fd}`)
    // Linux appends this to the name of an entry that was just replaced.
    return real.endsWith(' (deleted)') ? followByName(address) : { real, stats: fstatSync(fd) }
  } finally {
    closeSync(fd)
  }
}

function followByName(address: string): { real: string; stats: Stats } {
  const real = realpathSync(address)
  return { real, stats: statSync(real) }
}
