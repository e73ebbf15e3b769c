// Shared by the benchmarks: lines of the table, alternating runs, and child processes that always end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, delimiter, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'

/** The settings of a benchmark. */
export interface Bench {
  /** An empty folder that is removed afterwards. */
  readonly folder: string
  /** The size of the large file, in bytes. */
  readonly size: number
  /** The number of runs of each measurement. */
  readonly runs: number
  /** The processors that the servers of the table may use, as `taskset -c` takes them. Undefined: all of them. */
  readonly pin?: string
  /** An older executable of Coffer, which the table and the page measure, too. Undefined: none. */
  readonly before?: string
  /** A part of the names of the lines that the table and the page measure. Empty: all of them. */
  readonly lines: string
  /** How long the servers of the table rest before their memory is measured again, in seconds. */
  readonly restSeconds: number
  /** Whether the table empties the page cache of the system before each cold run. Only root can do it. */
  readonly dropsCaches: boolean
}

/** One line of the table. `ratio` is our value divided by that of the peer; `how` describes the measurement. */
export interface ResultLine {
  readonly what: string
  readonly ours: string
  readonly peer: string
  readonly ratio?: number
  readonly how: string
}

export type Benchmark = (bench: Bench) => Promise<ResultLine[]>

const children = new Set<ChildProcess>()
let ending = false

// The last resort, for errors and for `process.exit` during a measurement.
process.on('exit', () => {
  for (const child of children) child.kill('SIGTERM')
})

/** The options of `start`. Output that is not read is ignored; errors are printed. */
interface StartOptions {
  readonly stdout?: 'pipe' | 'ignore'
  readonly stderr?: 'pipe' | 'ignore' | 'inherit'
  readonly env?: NodeJS.ProcessEnv
}

// Every start of Node would parse these certificates, which no program here needs.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env

/** Starts a program. `stopAll` ends it. @throws when the benchmark is ending. */
export function start(
  command: string,
  args: readonly string[],
  { stdout = 'ignore', stderr = 'inherit', env = environment }: StartOptions = {},
): ChildProcess {
  if (ending) throw new Error('the benchmark is ending')
  const child = spawn(command, args, { stdio: ['ignore', stdout, stderr], env })
  children.add(child)
  child.once('exit', () => children.delete(child))
  child.on('error', () => children.delete(child))
  return child
}

/** Runs a program to its end. Returns its output. @throws unless its exit code is 0. */
export async function output(
  command: string,
  args: readonly string[],
  more: StartOptions = {},
): Promise<string> {
  const child = start(command, args, { ...more, stdout: 'pipe' })
  const [printed, [code, signal]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    once(child, 'close'),
  ])
  if (code !== 0) throw new Error(`${basename(command)} ended with ${code ?? signal}`)
  return printed
}

/** Ends one program and waits for its exit. Kills it after 5 s. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const deadline = setTimeout(() => child.kill('SIGKILL'), 5000)
  await exited
  clearTimeout(deadline)
}

/** Ends every program that was started. */
export async function stopAll(): Promise<void> {
  await Promise.all([...children].map(stop))
}

/** Ends every program, and starts no further one. */
export async function endAll(): Promise<void> {
  ending = true
  await stopAll()
}

/** Whether the benchmark is ending, so that failures are no results. */
export function isEnding(): boolean {
  return ending
}

/** The folder for downloaded programs and for results. It is not part of the repository. */
export const cache = resolve('node_modules/.cache')

/** Returns the path of a program in PATH or in `cache`; undefined when it is not installed. */
export async function find(program: string): Promise<string | undefined> {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', cache]) {
    const path = join(folder, program)
    if ((await stat(path).catch(() => undefined))?.isFile()) return path
  }
  return undefined
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/**
 * Runs all contestants in turn, `runs` times, so that other load on the machine affects all of them equally. Each turn
 * begins with another one: what one has written slows down the disk for the next.
 */
export async function runAlternating<K extends string>(
  contestants: Partial<Record<K, () => Promise<number>>>,
  runs: number,
): Promise<Partial<Record<K, number>>> {
  const figures: Partial<Record<K, number[]>> = {}
  const all = Object.entries(contestants) as [K, () => Promise<number>][]
  for (let run = 0; run < runs; run++) {
    const first = run % all.length
    for (const [name, contest] of [...all.slice(first), ...all.slice(0, first)]) {
      figures[name] = [...(figures[name] ?? []), await contest()]
    }
  }
  return Object.fromEntries(
    Object.entries<number[] | undefined>(figures).map(([name, all]) => [name, median(all ?? [])]),
  ) as Partial<Record<K, number>>
}

/** Returns the median of the runs that succeeded: a failed run is NaN. */
export function median(figures: readonly number[]): number {
  return figures.filter(Number.isFinite).sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN
}

export function gigabytes(bytesPerSecond: number): string {
  return `${(bytesPerSecond / 1e9).toFixed(2)} GB/s`
}

/** Returns the resident memory of a process in megabytes; undefined on systems without /proc. */
export async function residentMb(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6
}

/** Retries `attempt` until it succeeds, for at most 10 s. */
export async function retryUntil<T>(attempt: () => Promise<T>, pauseMs = 20): Promise<T> {
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

/** Returns a free port on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
