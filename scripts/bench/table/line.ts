// What a line of the table is, and how most lines are measured.
import { writeFile } from 'node:fs/promises'
import { type Bench, isEnding, output, runAlternating, stop } from '../run.ts'
import type { Verb } from './programs.ts'
import { type Installed, type Server, startServer } from './servers.ts'

/** What the table measures: the programs serve `root`. */
export interface Table {
  readonly bench: Bench
  readonly root: string
  readonly programs: readonly Installed[]
}

export type Unit = 'ms' | 's' | 'MB' | 'GB/s' | 'per second'

/** The figures of a line, by the name of a program or of something else that the limits are made of. */
export interface Figures {
  readonly cold: Readonly<Record<string, number>>
  readonly warm: Readonly<Record<string, number>>
  /** What the reader should know about this measurement. */
  readonly notes?: readonly string[]
}

/** A limit for Coffer: the highest time or memory, or the lowest rate. */
export interface Limit {
  readonly value: number
  readonly of: 'cold' | 'warm'
  /** Where a value that was measured comes from. */
  readonly from?: string
}

export interface Line {
  readonly what: string
  readonly unit: Unit
  readonly limits?: (figures: Figures) => readonly Limit[]
  readonly measure: (table: Table) => Promise<Figures>
  /** One run on a running server, for lines that have one. */
  readonly task?: Task
}

/** A task that a running server does. */
export interface Task {
  readonly verb: Verb
  /** Does it once, and returns the figure of the line. */
  readonly run: (server: Server, table: Table, temperature: 'cold' | 'warm') => Promise<number>
  /** Does the same work without a server, or other work to compare with. */
  readonly references?: (servers: readonly Server[], table: Table) => Record<string, () => Promise<number>>
}

/**
 * Returns a line that is one task of a running server: cold is the first run after the start, and warm is the median
 * of runs in which the programs alternate.
 */
export function taskLine(line: Omit<Line, 'measure'> & { readonly task: Task }): Line {
  return { ...line, measure: (table) => measureTask(line.task, table) }
}

async function measureTask(task: Task, table: Table): Promise<Figures> {
  const { bench, programs } = table
  const servers: Server[] = []
  const cold: Record<string, number> = {}
  const contestants: Record<string, () => Promise<number>> = {}
  try {
    for (const program of programs.filter(({ paths }) => paths[task.verb])) {
      const server = await startServer(program, bench)
      servers.push(server)
      await dropCaches(bench)
      cold[program.name] = await orFailed(program.name, () => task.run(server, table, 'cold'))
      contestants[program.name] = () => orFailed(program.name, () => task.run(server, table, 'warm'))
    }
    const references = task.references?.(servers, table) ?? {}
    const warm = await runAlternating({ ...contestants, ...references }, bench.runs)
    return { cold, warm: warm as Record<string, number> }
  } finally {
    await Promise.all(servers.map(({ child }) => stop(child)))
  }
}

/** Returns NaN for a run that fails, and prints why, so that the other programs are still measured. */
export async function orFailed(name: string, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (isEnding()) throw error
    console.error(`    ${name}: ${(error as Error).message}`)
    return Number.NaN
  }
}

/** Writes all changes to disk and empties the page cache. Does nothing without the permission. */
export async function dropCaches({ dropsCaches }: Bench): Promise<void> {
  if (!dropsCaches) return
  await output('sync', [])
  await writeFile('/proc/sys/vm/drop_caches', '3')
}

/** Returns the duration of `work`, in seconds. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return (performance.now() - startMs) / 1000
}
