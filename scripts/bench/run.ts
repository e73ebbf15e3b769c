// What the benchmarks share: a line of the table, runs taken in turn, and servers that end when the work does.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Where and how large. */
export interface Bench {
  /** An empty folder that is removed afterwards. */
  readonly folder: string
  /** Bytes of the large file. */
  readonly size: number
  /** How many times each is measured. */
  readonly runs: number
}

/** One line of the table. `ratio` is ours over the peer's, however it is to be read; `how` tells how it was taken. */
export interface Line {
  readonly what: string
  readonly ours: string
  readonly peer: string
  readonly ratio?: number
  readonly how: string
}

export type Subject = (bench: Bench) => Promise<Line[]>

const children = new Set<ChildProcess>()

/** Starts a program that `endAll` ends, whatever happens. */
export function start(
  command: string,
  args: readonly string[],
  stdout: 'pipe' | 'ignore' = 'ignore',
): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', stdout, 'inherit'] })
  children.add(child)
  child.once('exit', () => children.delete(child))
  child.on('error', () => children.delete(child))
  return child
}

/** Ends one program and waits until it is gone. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const deadline = setTimeout(() => child.kill('SIGKILL'), 5000)
  await gone
  clearTimeout(deadline)
}

/** Ends every program that was started. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map(end))
}

/** Where a program lies; undefined when this machine has none of that name. */
export async function find(program: string): Promise<string | undefined> {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']) {
    const path = join(folder, program)
    if (await exists(path)) return path
  }
  return undefined
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Runs each of them once, then each again, `runs` times: what else the machine does then falls on all alike. */
export async function inTurn<K extends string>(
  contestants: Partial<Record<K, () => Promise<number>>>,
  runs: number,
): Promise<Partial<Record<K, number>>> {
  const figures: Partial<Record<K, number[]>> = {}
  for (let run = 0; run < runs; run++) {
    for (const [name, contest] of Object.entries(contestants) as [K, () => Promise<number>][]) {
      figures[name] = [...(figures[name] ?? []), await contest()]
    }
  }
  return Object.fromEntries(
    Object.entries<number[] | undefined>(figures).map(([name, all]) => [name, median(all ?? [])]),
  ) as Partial<Record<K, number>>
}

export function median(figures: readonly number[]): number {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN
}

export function gigabytes(bytesPerSecond: number): string {
  return `${(bytesPerSecond / 1e9).toFixed(2)} GB/s`
}

/** Resident memory of a process in megabytes; undefined where the system has no /proc. */
export async function residentMb(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6
}

/** Tries until it works, for ten seconds. */
export async function until<T>(attempt: () => Promise<T>, pauseMs = 20): Promise<T> {
  const deadline = performance.now() + 10_000
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
