import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { countInNamespace } from './processes.ts'
import { type LineHandler, readLines } from './read-lines.ts'

/** A program to run. There is no shell in between: each argument reaches it as it is. */
export interface Task {
  /** Absolute path. */
  program: string
  /** What it is told it is called. */
  name: string
  args: readonly string[]
  /** The folder it runs in; also a name through a descriptor that is open while `run` is called. */
  folder: string
  env: Readonly<Record<string, string>>
  /** Ends a program whose children have more processes than this in a process namespace of their own; undefined: never. */
  mostProcesses?: number
}

/** What no program may exceed. */
export interface Bounds {
  /** Milliseconds. */
  time: number
  /** UTF-16 code units of output; each line counts 128 more, for it travels as a message. */
  output: number
  /** Aborts when nobody wants the program any more. */
  signal: AbortSignal
}

/** How a program ended. */
export interface Ending {
  /** The exit status; null when a signal ended it. */
  code: number | null
  signal: string | null
  /** Why we ended it; undefined: it ended by itself. */
  stopped?: 'time' | 'output' | 'processes' | 'left'
}

type Child = ChildProcessByStdio<null, Readable, Readable>

const hasGroups = process.platform !== 'win32'
// What is told to end may tidy up for so long, in milliseconds.
const graceMs = 2000
const perLine = 128
// How often processes are counted, in milliseconds.
const countEveryMs = 200

/**
 * Runs a program and tells what it prints, both streams line by line as they come; it reads nothing. What it has started
 * ends with it: on systems with process groups all of its group, elsewhere itself alone. Only a program that makes a
 * session of its own gets away.
 *
 * @throws the system's error when it cannot be started.
 */
export async function run(task: Task, bounds: Bounds, hear: LineHandler): Promise<Ending> {
  const child = start(task)
  const over = new AbortController()
  const crowd = new AbortController()
  const time = AbortSignal.timeout(bounds.time)
  const stop = AbortSignal.any([bounds.signal, time, over.signal, crowd.signal])
  const end = ending(child, stop)
  const stopCounting = countProcesses(child, task.mostProcesses, () => crowd.abort())
  let room = bounds.output
  const hearSome = (line: string) => {
    if (stop.aborted) return false
    room -= line.length + perLine
    if (room >= 0) return hear(line)
    over.abort()
    return false
  }
  const [{ code, signal }] = await Promise.all([
    end,
    readLines(child.stdout, hearSome),
    readLines(child.stderr, hearSome),
  ]).finally(stopCounting)
  const reasons = { output: over.signal, processes: crowd.signal, left: bounds.signal, time } as const
  const stopped = (Object.keys(reasons) as (keyof typeof reasons)[]).find((name) => reasons[name].aborted)
  return { code, signal, ...(stopped && { stopped }) }
}

/** Calls `tooMany` when there are more processes than `most`. Answers how to stop counting. */
function countProcesses({ pid }: Child, most: number | undefined, tooMany: () => void): () => void {
  if (pid === undefined || most === undefined) return () => {}
  let isCounting = false
  const timer = setInterval(async () => {
    // Counting takes long when there are many: never twice at once.
    if (isCounting) return
    isCounting = true
    if ((await countInNamespace(pid)) > most) tooMany()
    isCounting = false
  }, countEveryMs)
  return () => clearInterval(timer)
}

function start({ program, name, args, folder, env }: Task): Child {
  return spawn(program, args, {
    argv0: name,
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: hasGroups,
    windowsHide: true,
  })
}

/** Waits for the end, and brings it about when `stop` aborts. */
function ending(child: Child, stop: AbortSignal): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>()
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false
  const onStop = () => {
    // Whoever still holds the other ends of the pipes is not waited for.
    if (hasEnded) return cutStreams(child)
    signalGroup(child, 'SIGTERM')
    timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
  }
  child.once('error', (error) => {
    stop.removeEventListener('abort', onStop)
    cutStreams(child)
    reject(error)
  })
  child.once('exit', (code, signal) => {
    hasEnded = true
    clearTimeout(timer)
    // What it left behind in its group.
    signalGroup(child, 'SIGKILL')
    if (stop.aborted) cutStreams(child)
    resolve({ code, signal })
  })
  child.once('close', () => stop.removeEventListener('abort', onStop))
  if (stop.aborted) onStop()
  else stop.addEventListener('abort', onStop, { once: true })
  return promise
}

function cutStreams({ stdout, stderr }: Child): void {
  stdout.destroy()
  stderr.destroy()
}

function signalGroup({ pid }: Child, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(hasGroups ? -pid : pid, signal)
  } catch {
    // There is nobody left in the group.
  }
}
