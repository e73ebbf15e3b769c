import fs, { constants } from 'node:fs'
import { promisify } from 'node:util'
import { openDescriptor, openSync } from '#src/files/paths/disk.ts'
import { callNow, mayCallNow, type OpenedFile } from '#src/files/paths/local-calls.ts'

/** A file that is open for writing. A `FileHandle` of Node is one, too. */
export interface WritableFile extends OpenedFile, AsyncDisposable {
  chmod(mode: number): Promise<void>
  chown(uid: number, gid: number): Promise<void>
  truncate(bytes: number): Promise<void>
  /** Sets the times of the last access and the last change, in seconds since 1970. */
  utimes(atime: number, mtime: number): Promise<void>
  /** Writes the pieces at `position`, or the beginning of them. */
  writev(pieces: Buffer[], position: number): Promise<{ readonly bytesWritten: number }>
  /** Writes up to `length` bytes of `buffer` from `offset` on. */
  write(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>
  /** Writes a whole file that is empty. */
  writeFile(content: Uint8Array | string): Promise<void>
  /** Flushes the content (fdatasync(2)). Does nothing if each write has flushed what it wrote. */
  datasync(): Promise<void>
  /** Closes the file. Does nothing at a second call. */
  close(): Promise<void>
}

/** Pieces that are written with one system call. */
export interface Pieces {
  readonly pieces: Buffer[]
  /** Of all pieces. */
  readonly bytes: number
}

const calls = {
  stat: promisify(fs.fstat),
  chmod: promisify(fs.fchmod),
  chown: promisify(fs.fchown),
  truncate: promisify(fs.ftruncate),
  utimes: promisify(fs.futimes),
  datasync: promisify(fs.fdatasync),
  close: promisify(fs.close),
  write: promisify(fs.write) as unknown as WriteAt,
  writev: promisify(fs.writev) as unknown as WriteAllAt,
}

type WriteAt = (fd: number, ...given: Parameters<WritableFile['write']>) => ReturnType<WritableFile['write']>
type WriteAllAt = (
  fd: number,
  ...given: Parameters<WritableFile['writev']>
) => ReturnType<WritableFile['writev']>

// open(2): each write flushes what it has written. Elsewhere than on Linux, this may leave bytes in the cache of the disk.
const dataSync = process.platform === 'linux' ? (constants.O_DSYNC ?? 0) : 0

/** Bytes that are written without the thread pool: the kernel copies them into its memory. */
const smallBytes = 64 * 1024

/** How a file is opened; see `openWritable`. */
interface OpenOptions {
  /** Permission bits of a new file. */
  mode?: number
  isOnLocalDisk: boolean
  isQuick?: boolean
  isWrittenAtOnce?: boolean
}

/**
 * Opens a file for writing. Costs less than a `FileHandle`: on a local disk, a small write and the close do not use the
 * thread pool. They wait for no disk, unless the memory of the kernel is full of bytes that are not written yet (`callNow`
 * then pauses them).
 *
 * @param how.isOnLocalDisk whether the file is in an open folder on a local disk (`isLocalDevice`), and no link is followed
 * @param how.isQuick the call does not wait for the disk (`isOpenAndBeingWritten`), so it does not use the thread pool
 * @param how.isWrittenAtOnce one write has the whole content, so it also flushes it: one call in the thread pool instead of
 *   two calls, where the system can do this
 * @throws the error of the system.
 */
export async function openWritable(
  address: string,
  flags: number,
  { mode, isOnLocalDisk, isQuick = false, isWrittenAtOnce = false }: OpenOptions,
): Promise<WritableFile> {
  const added = isWrittenAtOnce ? dataSync : 0
  const fd = isQuick
    ? callNow(() => openSync(address, flags | added, mode))
    : await openDescriptor(address, flags | added, mode)
  const isFlushing = added !== 0
  const running = new Set<Promise<unknown>>()
  let isClosed = false

  /** After the close, another file may have the same number. */
  async function use<T>(call: () => Promise<T>): Promise<T> {
    if (isClosed) throw Object.assign(new Error('the file is closed'), { code: 'EBADF' })
    const result = call()
    running.add(result)
    return result.finally(() => running.delete(result))
  }

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    await Promise.allSettled(running)
    // Everything is flushed, or will be dropped.
    if (isOnLocalDisk) fs.closeSync(fd)
    else await calls.close(fd)
  }

  /** Writes small pieces without the thread pool. */
  async function writePieces(pieces: Buffer[], position: number): Promise<{ bytesWritten: number }> {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
    const isNow = isOnLocalDisk && !isFlushing && bytes <= smallBytes && mayCallNow()
    if (!isNow) return calls.writev(fd, pieces, position)
    return { bytesWritten: callNow(() => fs.writevSync(fd, pieces, position)) }
  }

  async function setTimes(atime: number, mtime: number): Promise<void> {
    if (isOnLocalDisk && mayCallNow()) callNow(() => fs.futimesSync(fd, atime, mtime))
    else await calls.utimes(fd, atime, mtime)
  }

  const write: WritableFile['write'] = (...given) => calls.write(fd, ...given)

  async function writeWhole(content: Buffer): Promise<void> {
    await writeAll({ write, writev: writePieces }, { pieces: [content], bytes: content.length }, 0)
  }

  return {
    fd,
    isOnLocalDisk,
    stat: () => use(() => calls.stat(fd)),
    chmod: (mode) => use(() => calls.chmod(fd, mode)),
    chown: (uid, gid) => use(() => calls.chown(fd, uid, gid)),
    truncate: (bytes) => use(() => calls.truncate(fd, bytes)),
    utimes: (atime, mtime) => use(() => setTimes(atime, mtime)),
    write: (...given) => use(() => write(...given)),
    writev: (pieces, position) => use(() => writePieces(pieces, position)),
    writeFile: (content) => use(() => writeWhole(Buffer.from(content))),
    datasync: () => use(async () => (isFlushing ? undefined : calls.datasync(fd))),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Writes all pieces at `position`. pwritev(2) may write only a part. A disk that becomes full does so first, and fails with
 * ENOSPC on the next call.
 */
export async function writeAll(
  file: Pick<WritableFile, 'write' | 'writev'>,
  { pieces, bytes }: Pieces,
  position: number,
): Promise<void> {
  const { bytesWritten } = await file.writev(pieces, position)
  if (bytesWritten === bytes) return
  const rest = Buffer.concat(pieces)
  for (let done = bytesWritten; done < bytes; ) {
    done += (await file.write(rest, done, bytes - done, position + done)).bytesWritten
  }
}
