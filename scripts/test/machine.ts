import { readFileSync } from 'node:fs'
import { cpus, freemem } from 'node:os'

/** The processors that this process may use, by their numbers. */
const allowed = allowedProcessors()

/** The number of processors that this process may use. */
export const processors = allowed.length

/**
 * Returns a function that returns the share of these processors that was used since its previous call, from 0 to 1.
 * Processes of others count as well.
 */
export function createUsage(): () => number {
  let before = times()
  return () => {
    const now = times()
    const total = now.total - before.total
    const idle = now.idle - before.idle
    before = now
    return total > 0 ? 1 - idle / total : 1
  }
}

function times() {
  let total = 0
  let idle = 0
  for (const { times } of cpus().filter((_, number) => allowed.includes(number))) {
    total += times.user + times.nice + times.sys + times.irq + times.idle
    idle += times.idle
  }
  return { total, idle }
}

/** Whether the memory is enough for another test process and its pages. */
export const hasMemory = () => freemem() > 2 * 1024 ** 3

/** All processors, or those of `taskset` and containers on Linux. */
function allowedProcessors(): number[] {
  const all = cpus().map((_, number) => number)
  if (process.platform !== 'linux') return all
  const [, list = ''] = /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  const ranges = list.split(',').map((range) => range.split('-').map(Number))
  return all.filter((number) => ranges.some(([first = 0, last = first]) => first <= number && number <= last))
}
