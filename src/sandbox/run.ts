import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { countInNamespace } from './processes.ts'
import { type LineHandler, readLines } from './read-lines.ts'

/** A program to run. No shell is involved: the program gets each argument unchanged. */
export interface Task {
  /** Absolute path. */
  program: string
  /** The name that the program sees as its own (argv[0]). */
  name: string
  args: readonly string[]
  /** The folder it runs in. It may be a path through a descriptor that is open while `run` is called. */
  folder: string
  env: Readonly<Record<string, string>>
  /**
   * Ends the program when its children have more processes than this in their own process namespace; undefined: no
   * limit.
   */
  maxProcesses?: number
  /** What the program reads from its descriptor 3; undefined: it has none. */
  input?: Uint8Array | undefined
}

/** The limits of one program. */
export interface RunLimits {
  /** Milliseconds. */
  time: number
  /** UTF-16 code units of output. Each line counts 128 more, because it is sent as a message. */
  output: number
  /** Aborts when the program is no longer needed. */
  signal: AbortSignal
}

/** How a program ended. */
export interface ProgramResult {
  /** The exit status; null when a signal ended it. */
  code: number | null
  signal: string | null
  /** Why Coffer ended the program; undefined: it ended by itself. */
  stopped?: 'time' | 'output' | 'processes' | 'left'
}

type Child = ChildProcessByStdio<null, Readable, Readable>

const hasGroups = process.platform !== 'win32'
// Milliseconds between SIGTERM and SIGKILL.
const graceMs = 2000
const perLine = 128
// Milliseconds between two counts of the processes.
const countEveryMs = 200

/**
 * Runs a program and passes each line of both output streams to `onLine`, as it comes. The program gets no input. All
 * processes that it started end with it: on systems with process groups the whole group, on other systems only the
 * program. A process that makes its own session survives.
 *
 * @throws the system's error if the program cannot be started.
 */
export async function run(task: Task, bounds: RunLimits, onLine: LineHandler): Promise<ProgramResult> {
  const child = start(task)
  const outputLimit = new AbortController()
  const processLimit = new AbortController()
  const time = AbortSignal.timeout(bounds.time)
  const stop = AbortSignal.any([bounds.signal, time, outputLimit.signal, processLimit.signal])
  const end = ending(child, stop)
  const stopCounting = countProcesses(child, task.maxProcesses, () => processLimit.abort())
  let outputLeft = bounds.output
  const onLineWithinLimit = (line: string) => {
    if (stop.aborted) return false
    outputLeft -= line.length + perLine
    if (outputLeft >= 0) return onLine(line)
    outputLimit.abort()
    return false
  }
  const [{ code, signal }] = await Promise.all([
    end,
    readLines(child.stdout, onLineWithinLimit),
    readLines(child.stderr, onLineWithinLimit),
  ]).finally(stopCounting)
  const reasons = {
    output: outputLimit.signal,
    processes: processLimit.signal,
    left: bounds.signal,
    time,
  } as const
  const stopped = (Object.keys(reasons) as (keyof typeof reasons)[]).find((name) => reasons[name].aborted)
  return { code, signal, ...(stopped && { stopped }) }
}

/** Calls `tooMany` when there are more processes than `max`. Returns a function that stops counting. */
function countProcesses({ pid }: Child, max: number | undefined, tooMany: () => void): () => void {
  if (pid === undefined || max === undefined) return () => {}
  let isCounting = false
  const timer = setInterval(async () => {
    // Counting many processes takes long, so a count is skipped while one is running.
    if (isCounting) return
    isCounting = true
    if ((await countInNamespace(pid)) > max) tooMany()
    isCounting = false
  }, countEveryMs)
  return () => clearInterval(timer)
}

function start({ program, name, args, folder, env, input }: Task): Child {
  const child = spawn(program, args, {
    argv0: name,
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe', ...(input ? (['pipe'] as const) : [])],
    detached: hasGroups,
    windowsHide: true,
  }) as Child // the types do not know arrays of this length
  const given = child.stdio[3]
  if (input && given && 'end' in given) {
    given.on('error', () => {}) // the program ended before it read everything
    given.end(input)
  }
  return child
}

/** Waits until the program ends, and ends it when `stop` aborts. */
function ending(child: Child, stop: AbortSignal): Promise<ProgramResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ProgramResult>()
  let killTimer: NodeJS.Timeout | undefined
  let hasEnded = false
  const onStop = () => {
    // Do not wait for other processes that still have the other ends of the pipes open.
    if (hasEnded) return cutStreams(child)
    signalGroup(child, 'SIGTERM')
    killTimer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
  }
  child.once('error', (error) => {
    stop.removeEventListener('abort', onStop)
    cutStreams(child)
    reject(error)
  })
  child.once('exit', (code, signal) => {
    hasEnded = true
    clearTimeout(killTimer)
    // Kills the processes that the program left in its group.
    signalGroup(child, 'SIGKILL')
    if (stop.aborted) cutStreams(child)
    resolve({ code, signal })
  })
  child.once('close', () => stop.removeEventListener('abort', onStop))
  if (stop.aborted) onStop()
  else stop.addEventListener('abort', onStop, { once: true })
  return promise
}

function cutStreams({ stdout, stderr, stdio: [, , , given] }: Child): void {
  stdout.destroy()
  stderr.destroy()
  given?.destroy()
}

function signalGroup({ pid }: Child, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(hasGroups ? -pid : pid, signal)
  } catch {
    // The group has no processes left.
  }
}
