import type { ProblemCode } from '#contract/problems.ts'
import { Problem } from './problem.ts'

/** What each error of the system means for a person, as far as it has a meaning of its own. */
const codes = new Map(
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

// A call by a descriptor that is closed, or into memory that is not ours, is a bug of ours.
const bugs = ['EBADF', 'EFAULT']
const byDescriptor = [
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

/** System calls on files, by the names that Node gives them in `error.syscall`. */
const fileCalls = new Set([
  ...['access', 'chmod', 'chown', 'close', 'copyfile', 'fchmod', 'fchown', 'fdatasync', 'fstat', 'fsync'],
  ...['ftruncate', 'futime', 'lchown', 'link', 'lstat', 'lutime', 'mkdir', 'mkdtemp', 'open', 'opendir'],
  ...['read', 'readlink', 'realpath', 'rename', 'rm', 'rmdir', 'scandir', 'stat', 'statfs', 'symlink'],
  ...['unlink', 'utime', 'write', 'writev'],
])

/**
 * The system's name of a failure, such as `ENOENT`, also `Unknown system error -117` for one that Node has no name for;
 * undefined when `error` is none of the system's.
 */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  const isErrno = typeof code === 'string' && /^(E[A-Z0-9]+|UNKNOWN|Unknown system error -\d+)$/.test(code)
  return isErrno ? code : undefined
}

/** The refusal that tells a person of a failed system call on `path`, as they wrote it; undefined for a bug. */
export function problemOf(error: unknown, path: string): Problem | undefined {
  if (error instanceof Problem) return error
  const errno = errnoOf(error)
  const code = errno && codeOf(errno, error)
  if (!code) return undefined
  return new Problem(code, { path, reason: reasonOf(errno), errno }, { cause: error })
}

function codeOf(errno: string, error: unknown): ProblemCode | undefined {
  const known = codes.get(errno)
  if (known) return known
  // File systems that run as programs (FUSE) or on other machines may answer a call on a file with any number.
  const { syscall } = error as { syscall?: string }
  if (syscall === undefined || !fileCalls.has(syscall)) return undefined
  return bugs.includes(errno) && byDescriptor.includes(syscall) ? undefined : 'disk.failed'
}

function reasonOf(errno: string): string {
  return errno === 'ENAMETOOLONG' ? 'a name is too long' : 'the disk does not accept it'
}

/** Whether `error` is what a connection gives whose other end has gone. */
export function isHangUp(error: unknown): boolean {
  return ['EPIPE', 'ECONNRESET', 'ECONNABORTED'].includes(errnoOf(error) ?? '')
}

/** Whether a failure, of the system or as a refusal, says that the disk has no room left, or that a quota is used up. */
export function isFull(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'disk.full' || error.code === 'disk.quota'
  return ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '')
}

/** For `.catch`: turns a failed system call on `path` into its Problem and lets everything else through. */
export function onPath(path: string): (error: unknown) => never {
  return (error) => {
    throw problemOf(error, path) ?? error
  }
}

/** For `.catch`: answers undefined when the thing is missing and rethrows the rest. */
export function ignoreMissing(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error
}

/** Whether hard links failed because the disk has none (FAT, some network ones), not because of the names. */
export function cannotLink(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '')
}
