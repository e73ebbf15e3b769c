import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { errnoOf, ignoreMissing } from '../problem.ts'

// Not a library: if the process exits after 1000 lines, `rotating-file-stream` 3.2 and `pino-roll` 4.0 have written none.
// With its option `sync`, `pino-roll` writes 8.9 KB into a file of at most 1 KB.

/** When a log file is replaced by a new one, and how many old ones are kept. */
export interface Rotation {
  /** Bytes of one file. Infinity: never replaced. */
  readonly maxSize: number
  /** The number of old files: `coffer.log.1` is the newest of them. */
  readonly keep: number
  /** Old files are deleted this long after their last line. */
  readonly maxAgeMs: number
}

// At most this many bytes of lines wait in memory while the disk is full. Further lines are lost.
const maxWaitingBytes = 1024 * 1024
const retryAfterMs = 60_000
const cleanEveryMs = 60 * 60_000

/**
 * Opens a log file for appending. A new one gets the mode 0600. Each line is written at once, so that a crash loses
 * none. While the disk is full, lines wait in memory.
 *
 * @param onFault is called with the error code when the file cannot be replaced or opened again. The old one stays in
 *   use then
 * @throws the error of the system when the file cannot be opened.
 */
export function openLogFile(target: string, rotation: Rotation, onFault: (errno: string) => void) {
  // The target of a link is replaced, not the link. Devices and pipes are never replaced.
  let fd = openSync(target, 'a', 0o600)
  const file = realPath(target)
  const mayRotate =
    Number.isFinite(rotation.maxSize) && fstatSync(fd).isFile() && !/^\/(dev|proc)\//.test(file)
  let size = fstatSync(fd).size
  let nextTry = 0
  // Until the first rotation here, old files may be those of logrotate, which deletes them itself.
  let nextCleaning = Number.POSITIVE_INFINITY

  function reopen(): void {
    try {
      const fresh = openSync(file, 'a', 0o600)
      closeSync(fd)
      fd = fresh
      size = fstatSync(fd).size
    } catch (error) {
      onFault(errnoOf(error) ?? 'unknown')
    }
  }

  function replaceFile(stats: Stats): void {
    // Another program has moved or deleted the file. What is there now is not replaced.
    if (!isSameFile(file, stats)) {
      reopen()
      return
    }
    const fresh = replace(file, stats, rotation.keep)
    closeSync(fd)
    fd = fresh
    size = 0
    nextCleaning = 0
  }

  function rotateBefore(bytes: number): void {
    if (size === 0 || size + bytes <= rotation.maxSize || performance.now() < nextTry) return
    nextTry = performance.now() + retryAfterMs
    try {
      const stats = fstatSync(fd)
      size = stats.size // another program may have truncated the file
      if (size > 0 && size + bytes > rotation.maxSize) replaceFile(stats)
      nextTry = 0
    } catch (error) {
      onFault(errnoOf(error) ?? 'unknown')
    }
  }

  function clean(): void {
    if (performance.now() < nextCleaning) return
    nextCleaning = performance.now() + cleanEveryMs
    try {
      removeOld(file, rotation)
    } catch {
      // An old file that cannot be deleted now is deleted later. It must not stop the log.
    }
  }

  const queue = createQueue((bytes) => {
    const rest = writeAll(fd, bytes)
    size += bytes.length - (rest?.length ?? 0)
    return rest
  })

  function write(line: string): void {
    const bytes = Buffer.from(line)
    if (mayRotate && queue.isEmpty()) {
      rotateBefore(bytes.length)
      clean()
    }
    queue.write(bytes)
  }

  return { write, reopen }
}

function isSameFile(path: string, { ino, dev }: Stats): boolean {
  const present = statSync(path, { throwIfNoEntry: false })
  return present?.ino === ino && present.dev === dev
}

/** The real path, or the path itself where there is none, such as for `/dev/stdout` when it is a pipe. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * Keeps the lines that a full disk does not take, and tries them again before the next line.
 *
 * @param writeOut returns the rest that could not be written; undefined: everything is written
 */
function createQueue(writeOut: (bytes: Buffer) => Buffer | undefined) {
  const waiting: Buffer[] = []
  let waitingBytes = 0

  /** Whether no line waits any more. */
  function writeWaiting(): boolean {
    for (let oldest = waiting.shift(); oldest !== undefined; oldest = waiting.shift()) {
      waitingBytes -= oldest.length
      const rest = writeOut(oldest)
      if (rest) {
        waiting.unshift(rest)
        waitingBytes += rest.length
        return false
      }
    }
    return true
  }

  return {
    isEmpty: () => waiting.length === 0,
    write(line: Buffer): void {
      const rest = writeWaiting() ? writeOut(line) : line
      if (!rest || waitingBytes + rest.length > maxWaitingBytes) return
      waiting.push(rest)
      waitingBytes += rest.length
    },
  }
}

/** Writes as much as the disk takes. Returns the rest; undefined: everything is written. */
function writeAll(fd: number, bytes: Buffer): Buffer | undefined {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written)
    return undefined
  } catch {
    // The server goes on when the disk of the log is full. The next line tries again.
    return bytes.subarray(written)
  }
}

/**
 * Moves the file and all older ones one number up, and returns a descriptor of a new file with the same owner and mode.
 * If the new file cannot be created, nothing is moved.
 */
function replace(file: string, { mode, uid, gid }: Stats, keep: number): number {
  const created = `${file}.new`
  rmSync(created, { force: true }) // from a crash
  const fresh = openSync(created, 'ax', 0o600)
  try {
    try {
      fchownSync(fresh, uid, gid)
      fchmodSync(fresh, mode & 0o777)
    } catch {
      // Without the permission to keep the owner, the new file stays private.
    }
    for (let number = keep - 1; number >= 1; number--)
      renameIfThere(`${file}.${number}`, `${file}.${number + 1}`)
    renameSync(file, `${file}.1`)
    renameSync(created, file)
    return fresh
  } catch (error) {
    closeSync(fresh)
    rmSync(created, { force: true })
    throw error
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    ignoreMissing(error)
  }
}

/** Returns the paths beside a log file that the rotation uses. */
export function rotatedFiles(file: string, keep: number): string[] {
  return [`${file}.new`, ...Array.from({ length: keep }, (_, at) => `${file}.${at + 1}`)]
}

/** Deletes the old files that are too old or have too high a number. */
function removeOld(file: string, { keep, maxAgeMs }: Rotation): void {
  for (let number = 1; ; number++) {
    const stats = lstatSync(`${file}.${number}`, { throwIfNoEntry: false })
    if (!stats && number > keep) return
    if (!stats?.isFile()) continue
    if (number > keep || Date.now() - stats.mtimeMs > maxAgeMs) rmSync(`${file}.${number}`, { force: true })
  }
}
