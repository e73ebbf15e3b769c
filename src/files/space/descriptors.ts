import { readFileSync } from 'node:fs'

/**
 * What is always kept free: state, log and records, so that signing in works whatever is downloaded; threads with the
 * folders that they walk; pipes of commands.
 */
const reserve = 384
// A socket, and what a short call opens for a moment.
const perConnection = 2
// Whatever the limit is, so much is tried.
const least = { connections: 16, files: 64 }
// Enough for every archive and for hundreds of transfers: below it the limit is called low.
const enoughFiles = 4096
// Where the system tells no limit.
const usual = 65_536

/** How the descriptors of the process are shared out. */
export interface DescriptorPlan {
  /** Connections at once. */
  connections: number
  /** Descriptors for the files of all downloads, uploads, archives, walks and transfers together. */
  files: number
  /** The limit that would be enough; undefined: the present one is. */
  needed?: number
}

/** How many descriptors this process may have open at once. */
export function descriptorLimit(): number {
  const limit = process.platform === 'linux' ? limitOnLinux() : limitInReport()
  return Number.isFinite(limit) && limit > 0 ? limit : usual
}

/** The limit that is enough for so many connections at once. */
export function neededDescriptors(connections: number): number {
  return reserve + perConnection * connections + enoughFiles
}

/**
 * Shares out `limit` descriptors. When they are too few, a third of what is not reserved is for connections.
 *
 * @param wanted connections that are to be possible at once
 */
export function planDescriptors(limit: number, wanted: number): DescriptorPlan {
  const needed = neededDescriptors(wanted)
  if (limit >= needed) return { connections: wanted, files: limit - reserve - perConnection * wanted }
  const free = Math.max(0, limit - reserve)
  const most = Math.max(least.connections, Math.floor(free / 3 / perConnection))
  const connections = Math.min(wanted, most)
  return { connections, files: Math.max(least.files, free - perConnection * connections), needed }
}

/** The soft limit, which Node has raised to the hard one when it started (proc(5)). */
function limitOnLinux(): number {
  const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(soft)
}

function limitInReport(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  return Number(userLimits?.open_files?.soft)
}
