import type { ProblemCode } from '#contract/problems.ts'
import { entryOf } from './lookup.ts'
import { Problem } from './problem.ts'

const codes: Record<string, ProblemCode> = {
  ENOENT: 'path.unknown',
  ENOTDIR: 'path.unknown',
  EACCES: 'path.denied',
  EPERM: 'path.denied',
  EROFS: 'path.denied',
  EEXIST: 'path.exists',
  ENOTEMPTY: 'path.exists',
  EISDIR: 'path.folder',
  ELOOP: 'path.outside',
  ENAMETOOLONG: 'path.invalid',
  EILSEQ: 'path.invalid',
  ENXIO: 'path.special',
  EBUSY: 'path.busy',
  ETXTBSY: 'path.busy',
  ENOSPC: 'disk.full',
  EDQUOT: 'disk.full',
  EFBIG: 'disk.full',
  ENOTCONN: 'disk.silent',
  ETIMEDOUT: 'disk.silent',
  EHOSTDOWN: 'disk.silent',
  EHOSTUNREACH: 'disk.silent',
  EREMOTEIO: 'disk.silent',
  ESTALE: 'disk.silent',
  EMFILE: 'server.busy',
  ENFILE: 'server.busy',
}

/** The system's name of a failure, such as `ENOENT`; undefined when `error` is none of the system's. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** The refusal that tells a person of a failed system call on `path`, as they wrote it; undefined for a bug. */
export function problemOf(error: unknown, path: string): Problem | undefined {
  if (error instanceof Problem) return error
  const errno = errnoOf(error)
  const code = errno && entryOf(codes, errno)
  if (!code) return undefined
  return new Problem(code, { path, reason: 'a name is too long or not valid' }, { cause: error })
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
