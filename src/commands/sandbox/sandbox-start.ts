import type { Layout, View } from './layout.ts'
import type { Task } from './run.ts'

/** How much of the machine each process of a command may take. */
export interface ProcessLimits {
  /** Bytes of address space, for each process. */
  memory: number
  /** Processes and threads of one command. */
  processes: number
  /** Open files of each process. */
  files: number
  /** Bytes of one file that a command writes. */
  fileSize: number
}

export const processLimits = { processes: 256, files: 1024, fileSize: 4 * 1024 ** 3 }

/** The ways to make a sandbox, best first. */
export const tools = ['bwrap', 'unshare'] as const
export type Tool = (typeof tools)[number]

/** What the sandbox is made of; absolute paths. */
export type Programs = Readonly<Record<(typeof needed)[Tool][number], string>>

const common = ['sh', 'stat', 'prlimit', 'true'] as const
/** The programs that each way takes. */
export const needed = {
  bwrap: [...common, 'bwrap'],
  unshare: [...common, 'unshare', 'setpriv', 'mount', 'umount', 'pivot_root', 'mkdir', 'ln'],
} as const

/** What both builders need to make a task. */
export interface Parcel {
  layout: Layout
  view: View
  programs: Programs
  limits: ProcessLimits
  hasNetwork: boolean
}

/** What a script does where the person's folder is not what it was when it was checked. */
export const sayChanged =
  "{ echo 'The folder was changed while the command was being started: try again.' >&2; exit 126; }"

/**
 * The script that starts the program in the finished sandbox. Before that it makes sure that what was mounted is what was
 * checked: between the two, somebody may have put a link in the place of a folder.
 */
export function startScript({ view: { shown }, programs }: Parcel): string {
  const { parts } = shown
  const paths = parts.map(({ path }) => quoted(path)).join(' ')
  const ids = quoted(parts.map(({ id }) => id).join('\n'))
  const check = `test "$(${quoted(programs.stat)} -c %d:%i -- ${paths})" = ${ids}`
  return parts.length === 0 ? 'exec "$@"' : `${check} || ${sayChanged}; exec "$@"`
}

/** The words that start the program with its limits. They hold inside the sandbox, so that only its processes count. */
export function limitedWords({ programs, limits }: Parcel, { program, args }: Task): string[] {
  const { memory, processes, files, fileSize } = limits
  return [
    programs.prlimit,
    ...[`--as=${memory}`, `--nproc=${processes}`, `--nofile=${files}`, `--fsize=${fileSize}`, '--core=0'],
    '--',
    program,
    ...args,
  ]
}

/** One word of a shell script (POSIX.1-2024, Shell Command Language, 2.2.2). */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
