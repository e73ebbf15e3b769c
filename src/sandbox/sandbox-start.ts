import type { Layout, SandboxView } from './layout.ts'
import type { Task } from './run.ts'

/** The limits of each process of a command. */
export interface ProcessLimits {
  /** Bytes of address space of each process. */
  memory: number
  /** Processes and threads of one command. */
  processes: number
  /** Files that each process may have open. */
  files: number
  /** Bytes of one file that a command writes. */
  fileSize: number
}

export const processLimits = { processes: 256, files: 1024, fileSize: 4 * 1024 ** 3 }

/** The tools that can make a sandbox, best first. */
export const sandboxTools = ['bwrap', 'unshare'] as const
export type SandboxTool = (typeof sandboxTools)[number]

/** The programs that make the sandbox, as absolute paths. */
export type Programs = Readonly<Record<(typeof requiredPrograms)[SandboxTool][number], string>>

const common = ['sh', 'stat', 'prlimit', 'true'] as const
/** The programs that each tool needs. */
export const requiredPrograms = {
  bwrap: [...common, 'bwrap'],
  unshare: [...common, 'unshare', 'setpriv', 'mount', 'umount', 'pivot_root', 'mkdir', 'ln'],
} as const

/** The input of both functions that make a task. */
export interface SandboxPlan {
  layout: Layout
  view: SandboxView
  programs: Programs
  limits: ProcessLimits
  hasNetwork: boolean
}

/** What the start script runs if the user's folder has changed since it was checked. */
export const reportChangeScript =
  "{ echo 'The folder changed while the command was starting. Try again.' >&2; exit 126; }"

/**
 * The script that starts the program in the finished sandbox. First it verifies that the mounted folders are the
 * checked ones, because a folder may have been replaced by a symbolic link in between.
 */
export function startScript({ view: { shown }, programs }: SandboxPlan): string {
  const { parts } = shown
  const paths = parts.map(({ path }) => shellQuote(path)).join(' ')
  const ids = shellQuote(parts.map(({ id }) => id).join('\n'))
  const check = `test "$(${shellQuote(programs.stat)} -c %d:%i -- ${paths})" = ${ids}`
  return parts.length === 0 ? 'exec "$@"' : `${check} || ${reportChangeScript}; exec "$@"`
}

/**
 * The command that starts the program with its limits. The limits apply inside the sandbox, so that only its
 * processes count.
 */
export function limitedCommand({ programs, limits }: SandboxPlan, { program, args }: Task): string[] {
  const { memory, processes, files, fileSize } = limits
  return [
    programs.prlimit,
    ...[`--as=${memory}`, `--nproc=${processes}`, `--nofile=${files}`, `--fsize=${fileSize}`, '--core=0'],
    '--',
    program,
    ...args,
  ]
}

/** Quotes one word of a shell script (POSIX.1-2024, Shell Command Language, 2.2.2). */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
