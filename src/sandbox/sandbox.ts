import { isWithin } from '#src/files/paths/user-path.ts'
import { refusals, type ShownTree } from '#src/files/tree-walk/shown-tree.ts'
import { bwrapTask } from './bwrap.ts'
import { findProgram } from './find-program.ts'
import { kernelFolders, neverShownPaths, orderMounts, type SandboxView } from './layout.ts'
import type { ProgramResult, run, Task } from './run.ts'
import {
  type ProcessLimits,
  type Programs,
  processLimits,
  requiredPrograms,
  type SandboxTool,
  sandboxTools,
} from './sandbox-start.ts'
import { findSystemFiles } from './system-files.ts'
import { unshareTask } from './unshare.ts'

/** Runs programs that see only the user's folder and the programs of the system (contract/README.md#commands). */
export interface Sandbox {
  readonly tool: SandboxTool
  /** A sentence for the administrator that says which tool makes the sandbox. */
  readonly description: string
  /** Folders that must contain a program for it to run. */
  readonly programs: readonly string[]
  /** Real paths that are never part of a user's files. */
  readonly closed: readonly string[]
  /** Returns the task that runs another task in the sandbox, or a sentence that says why it cannot run. */
  wrapTask(task: Task, view: SandboxView): Promise<Task | { refused: string }>
}

export interface SandboxOptions {
  /** Real path of the served folder, and real paths that no command may reach. */
  served: string
  secret: readonly string[]
  /** Bytes of address space of each process. */
  memory: number
  /** Whether commands reach the network, including the local ports of this machine. */
  hasNetwork: boolean
  env: Readonly<Record<string, string>>
  run: typeof run
  /** The tools to try, in this order. */
  tools?: readonly SandboxTool[]
}

const probeMs = 10_000

/**
 * Finds a tool that works: makes a sandbox with each tool in turn and runs a program in it.
 *
 * @returns the sandbox, or the reason why each tool failed
 */
export async function findSandbox(options: SandboxOptions): Promise<Sandbox | { missing: string[] }> {
  if (process.platform !== 'linux') return { missing: ['this system is not Linux'] }
  const system = await findSystemFiles(options)
  if (system.exposed) {
    return {
      missing: [`${system.exposed} is in a system folder, which every command can read`],
    }
  }
  const missing: string[] = []
  for (const tool of options.tools ?? sandboxTools) {
    const programs = await findAll(requiredPrograms[tool], options, system.folders)
    if ('lacks' in programs) {
      missing.push(`${tool}: ${programs.lacks} is not installed`)
      continue
    }
    const sandbox = createSandbox(tool, { ...options, system, programs: programs as Programs })
    const reason = await probe(sandbox, programs as Programs, options)
    if (reason === undefined) return sandbox
    missing.push(`${tool}: ${reason}`)
  }
  return { missing }
}

async function findAll(
  names: readonly string[],
  { served, env }: SandboxOptions,
  within: readonly string[],
): Promise<Record<string, string> | { lacks: string }> {
  const path = `${env.PATH ?? ''}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`
  const found = new Map<string, string>()
  for (const name of names) {
    const program = await findProgram(name, { path, served, within })
    if (!program) return { lacks: name }
    found.set(name, program)
  }
  return Object.fromEntries(found)
}

type System = Awaited<ReturnType<typeof findSystemFiles>>

function createSandbox(
  tool: SandboxTool,
  options: SandboxOptions & { system: System; programs: Programs },
): Sandbox {
  const { system, programs, served, memory, hasNetwork } = options
  const limits: ProcessLimits = { ...processLimits, memory }
  const build = tool === 'bwrap' ? bwrapTask : unshareTask
  return {
    tool,
    description: `Commands run in a sandbox (${programs[tool]})${hasNetwork ? ' with network access' : ''}.`,
    programs: system.folders,
    closed: neverShownPaths(system),
    async wrapTask(task, view) {
      const { root } = view.shown
      if (kernelFolders.some((folder) => isWithin(root, folder))) return { refused: refusals.kernel }
      const env = { ...task.env, HOME: '/tmp', TMPDIR: '/tmp' }
      const layout = orderMounts(system, served, view)
      // The kernel does not limit the processes of the superuser (setrlimit(2)), so Coffer counts them.
      const counted = process.getuid?.() === 0 ? { maxProcesses: limits.processes } : {}
      return build({ ...task, ...counted, env }, { layout, view, programs, limits, hasNetwork })
    },
  }
}

/** Runs a program in the sandbox without any user files. Returns why it failed, or undefined if it worked. */
async function probe(
  sandbox: Sandbox,
  programs: Programs,
  { served, env, run }: SandboxOptions,
): Promise<string | undefined> {
  const shown: ShownTree = { root: served, isWhole: false, parts: [], folders: [served], links: [] }
  const task = { program: programs.true, name: 'true', args: [], folder: '/', env }
  const entered = await sandbox.wrapTask(task, { shown, isWritable: false, folder: served })
  if ('refused' in entered) return entered.refused
  const said: string[] = []
  const onLine = (line: string) => said.push(line) > 0
  const bounds = { time: probeMs, output: 4096, signal: new AbortController().signal }
  const end: ProgramResult | Error = await run(entered, bounds, onLine).catch((error: Error) => error)
  if (end instanceof Error) return end.message
  return end.code === 0 ? undefined : said.join(' ') || `it exited with ${end.code ?? end.signal}`
}
