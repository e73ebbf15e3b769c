/** An error of SQLite or of the system, as the thread of the database reports it. */
export interface Fault {
  message: string
  /** The number of SQLite, such as 13 for a full disk. Undefined: another error. */
  errcode?: number | undefined
  /** The name of an error of the system, such as `ENOSPC`. Undefined: another error. */
  errno?: string | undefined
  /** Whether a newer version of the program has made the file. */
  isNewer?: boolean
}

/**
 * Primary codes of SQLite that concern the disk, the memory or the file, not one statement: BUSY, LOCKED, NOMEM,
 * READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB.
 */
const sharedCodes = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26])

/** Returns the primary code of an error of SQLite. Undefined for any other error. */
export function primaryCode({ errcode }: { errcode?: unknown }): number | undefined {
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}

/** Whether an error concerns the disk or the file, so that no other call would succeed. */
export function isShared(fault: Fault): boolean {
  return fault.errno !== undefined || sharedCodes.has(primaryCode(fault) ?? 0)
}

/** Whether SQLite reports that the content of the file is damaged (CORRUPT, NOTADB). */
export function isDamage(error: unknown): boolean {
  return [11, 26].includes(primaryCode(error as { errcode?: unknown }) ?? 0)
}

/** Whether the fault can mean that the disk has no free block or inode. */
export function mayBeFull(fault: Fault): boolean {
  const { errno = '' } = fault
  // SQLite reports a missing inode for its log as CANTOPEN, and a used up quota as IOERR.
  return ['ENOSPC', 'EDQUOT'].includes(errno) || [10, 13, 14].includes(primaryCode(fault) ?? 0)
}

/** Returns the parts of an error that can be sent to another thread. */
export function faultOf(error: unknown): Fault {
  const { message, errcode, code } = error as Error & { errcode?: number; code?: string }
  const isErrno = errcode === undefined && code !== undefined && !code.startsWith('ERR_')
  return { message, errcode, errno: isErrno ? code : undefined, isNewer: error instanceof NewerSchema }
}

/** Thrown for a database whose schema a newer version of the program has made. */
export class NewerSchema extends Error {
  override name = 'NewerSchema'
}
