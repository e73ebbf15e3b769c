import { type ProblemCode, problems } from '#contract/problems.ts'
import { entryOf } from './lookup.ts'

/** An expected error of a request. Any other error is a bug, and its response has status 500. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ProblemCode
  readonly details: Readonly<Record<string, string | number>>

  constructor(code: ProblemCode, details: Record<string, string | number> = {}, options?: ErrorOptions) {
    const { stackTraceLimit } = Error
    // Collecting a stack trace is slow. Only errors of the server are logged with one.
    if (problems[code].status < 500) Error.stackTraceLimit = 0
    super(fill(problems[code].cause, details), options)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.details = details
  }

  /** The HTTP status (contract/README.md#status-codes). */
  get status(): number {
    return problems[this.code].status
  }
}

/**
 * The reason why the program cannot start: one sentence that says what to do. Exits with code 2 and without a stack
 * trace.
 */
export class StartupProblem extends Error {
  override name = 'StartupProblem'
}

/** The reason why a command of the command line failed: one sentence. Exits with code 1 and without a stack trace. */
export class CommandProblem extends Error {
  override name = 'CommandProblem'
}

function fill(cause: string, details: Record<string, string | number>): string {
  return cause.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = String(entryOf(details, key) ?? '?')
    return key === 'path' ? inOneLine(value) : value
  })
}

/** Escapes the control characters that names on disks may have: an error is one line. */
function inOneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** The problem for each system error that has a specific one. */
const codeByErrno = new Map(
  entriesOf({
    'path.unknown': ['ENOENT', 'ENOTDIR', 'ESRCH'],
    'path.denied': ['EACCES', 'EPERM'],
    'path.exists': ['EEXIST', 'ENOTEMPTY'],
    'path.folder': ['EISDIR'],
    'path.link': ['ELOOP'],
    'path.invalid': ['ENAMETOOLONG', 'EILSEQ', 'EINVAL'],
    'path.special': ['ENXIO', 'ESPIPE'],
    'path.busy': ['EBUSY', 'ETXTBSY', 'EAGAIN', 'EWOULDBLOCK', 'EDEADLK'],
    'path.large': ['EFBIG', 'EOVERFLOW'],
    'disk.full': ['ENOSPC'],
    'disk.quota': ['EDQUOT'],
    'disk.readonly': ['EROFS'],
    'disk.unable': ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOTTY', 'EMLINK', 'EXDEV'],
    'disk.failed': ['EIO', 'ENODEV', 'ENODATA', 'EBADMSG'],
    'disk.silent': [
      ...(['ENOTCONN', 'ETIMEDOUT', 'ETIME', 'EHOSTDOWN', 'EHOSTUNREACH', 'EREMOTEIO'] as const),
      ...(['ESTALE', 'ENOLINK', 'ECANCELED'] as const),
    ],
    'server.busy': ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'ENOLCK', 'EINTR'],
  }),
)

function entriesOf(table: Partial<Record<ProblemCode, readonly string[]>>): [string, ProblemCode][] {
  return Object.entries(table).flatMap(([code, errnos]) =>
    errnos.map((errno): [string, ProblemCode] => [errno, code as ProblemCode]),
  )
}

// A call on a closed descriptor, or with memory outside of the process, is a bug in the program.
const bugErrnos = ['EBADF', 'EFAULT']
const descriptorCalls = [
  'close',
  'fchmod',
  'fchown',
  'fdatasync',
  'fstat',
  'fsync',
  'ftruncate',
  'futime',
  'read',
  'write',
]

/** System calls on files, by the names in `error.syscall`. */
const fileCalls = new Set([
  ...['access', 'chmod', 'chown', 'close', 'copyfile', 'fchmod', 'fchown', 'fdatasync', 'fstat', 'fsync'],
  ...['ftruncate', 'futime', 'lchown', 'link', 'lstat', 'lutime', 'mkdir', 'mkdtemp', 'open', 'opendir'],
  ...['read', 'readlink', 'realpath', 'rename', 'rm', 'rmdir', 'scandir', 'stat', 'statfs', 'symlink'],
  ...['unlink', 'utime', 'write', 'writev'],
])

/**
 * Returns the system's name of an error, such as `ENOENT`, or `Unknown system error -117` when Node has no name for it.
 * Undefined when `error` is not a system error.
 */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  const isErrno = typeof code === 'string' && /^(E[A-Z0-9]+|UNKNOWN|Unknown system error -\d+)$/.test(code)
  return isErrno ? code : undefined
}

/** Returns the problem for a failed system call on `path`, as the user wrote it. Undefined for a bug. */
export function problemOf(error: unknown, path: string): Problem | undefined {
  if (error instanceof Problem) return error
  const errno = errnoOf(error)
  const code = errno && codeOf(errno, error)
  if (!code) return undefined
  return new Problem(code, { path, reason: reasonOf(errno), errno }, { cause: error })
}

function codeOf(errno: string, error: unknown): ProblemCode | undefined {
  const known = codeByErrno.get(errno)
  if (known) return known
  // File systems that run as programs (FUSE) or on other machines may return any error number.
  const { syscall } = error as { syscall?: string }
  if (syscall === undefined || !fileCalls.has(syscall)) return undefined
  return bugErrnos.includes(errno) && descriptorCalls.includes(syscall) ? undefined : 'disk.failed'
}

function reasonOf(errno: string): string {
  return errno === 'ENAMETOOLONG' ? 'a name is too long' : 'the disk does not accept it'
}

/** Whether `error` means that the other end closed the connection. */
export function isConnectionClosed(error: unknown): boolean {
  return ['EPIPE', 'ECONNRESET', 'ECONNABORTED'].includes(errnoOf(error) ?? '')
}

/** Whether a system error or a problem means that the disk is full or a quota is used up. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'disk.full' || error.code === 'disk.quota'
  return ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '')
}

/** For `.catch`: turns a failed system call on `path` into a problem and rethrows anything else. */
export function onPath(path: string): (error: unknown) => never {
  return (error) => {
    throw problemOf(error, path) ?? error
  }
}

/** For `.catch`: returns undefined when the file is missing and rethrows anything else. */
export function ignoreMissing(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error
}

/** Whether a hard link failed because the file system has none (FAT, some network ones), not because of the names. */
export function lacksHardLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '')
}

/**
 * Checks access again when queued work starts. Throws the problem that the request would get if it were made now. Every
 * queue requires a recheck, so that revoked access always stops waiting work.
 */
export type Recheck = () => void

/** For work that depends on no permissions, such as cleaning up and restoring. */
export const unconditional: Recheck = () => {}

/** Whether `recheck` does not throw. */
export function passes(recheck: Recheck): boolean {
  return refusalOf(recheck) === undefined
}

/** Returns what `recheck` throws. Undefined when it does not throw. */
export function refusalOf(recheck: Recheck): unknown {
  try {
    recheck()
    return undefined
  } catch (error) {
    return error
  }
}
