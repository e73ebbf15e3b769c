import { readSync } from 'node:fs'

/** Reads parts of an open file, up to a limit. Keeps the start of the file, which every format has to be asked for. */
export interface FileWindow {
  /** Size of the file, in bytes. */
  readonly size: number
  /**
   * Returns up to `length` bytes from the offset `at`: fewer at the end of the file. The result may share memory with
   * later ones, so it must not be changed.
   *
   * @throws Error when more is read than the limit
   */
  read(at: number, length: number): Buffer
}

/** The bytes that are read at once at the start: in most photos, they contain everything before the pixels. */
const headBytes = 64 * 1024

/** @param mostBytes the limit of all reads together, in bytes */
export function openWindow(fd: number, size: number, mostBytes: number): FileWindow {
  let left = mostBytes
  let head: Buffer | undefined

  function fromDisk(at: number, length: number): Buffer {
    left -= length
    if (left < 0) throw new Error('more of the file is needed than may be read')
    const bytes = Buffer.allocUnsafeSlow(length)
    let filled = 0
    while (filled < length) {
      const count = readSync(fd, bytes, filled, length - filled, at + filled)
      if (count === 0) break // it was truncated meanwhile
      filled += count
    }
    return bytes.subarray(0, filled)
  }

  return {
    size,
    read(at, length) {
      const end = Math.min(size, at + length)
      if (!(at >= 0 && at < end)) return Buffer.alloc(0)
      head ??= fromDisk(0, Math.min(size, headBytes))
      return end <= headBytes ? head.subarray(at, end) : fromDisk(at, end - at)
    },
  }
}
