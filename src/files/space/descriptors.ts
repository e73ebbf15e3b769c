import { readFileSync } from 'node:fs'

/**
 * Descriptors that always stay free: for the state, log and records, so that signing in works during many downloads; for
 * worker threads and the folders they walk; for pipes of commands.
 */
const reserve = 384
// A socket, and a file that a short request opens for a moment.
const perConnection = 2
// The minimum, whatever the limit is.
const minimum = { connections: 16, files: 64 }
// Enough for every archive and for hundreds of transfers. Below this the limit counts as too low.
const enoughFiles = 4096
// Used where the system reports no limit.
const defaultLimit = 65_536

/** How the file descriptors of the process are divided. */
export interface DescriptorPlan {
  /** The maximum number of concurrent connections. */
  connections: number
  /** Descriptors for the files of all downloads, uploads, archives, walks and transfers together. */
  files: number
  /** The limit that would be enough; undefined if the current limit is enough. */
  needed?: number
}

/** The maximum number of open file descriptors of this process. */
export function descriptorLimit(): number {
  const limit = process.platform === 'linux' ? limitOnLinux() : limitInReport()
  return Number.isFinite(limit) && limit > 0 ? limit : defaultLimit
}

/** The limit that is enough for this number of concurrent connections. */
export function neededDescriptors(connections: number): number {
  return reserve + perConnection * connections + enoughFiles
}

/**
 * Divides `limit` file descriptors. If they are too few, connections get a third of those that are not reserved.
 *
 * @param wanted the requested number of concurrent connections
 */
export function planDescriptors(limit: number, wanted: number): DescriptorPlan {
  const needed = neededDescriptors(wanted)
  if (limit >= needed) return { connections: wanted, files: limit - reserve - perConnection * wanted }
  const free = Math.max(0, limit - reserve)
  const most = Math.max(minimum.connections, Math.floor(free / 3 / perConnection))
  const connections = Math.min(wanted, most)
  return { connections, files: Math.max(minimum.files, free - perConnection * connections), needed }
}

/** The soft limit. Node has raised it to the hard limit at its start (proc(5)). */
function limitOnLinux(): number {
  const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(soft)
}

function limitInReport(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  return Number(userLimits?.open_files?.soft)
}
