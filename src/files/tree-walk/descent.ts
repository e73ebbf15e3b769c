import { closeSync, constants, fstatSync } from 'node:fs'
import { bytesOnDisk } from '#src/files/paths/byte-names.ts'
import { openSync } from '#src/files/paths/disk.ts'

/** A path for system calls. Bytes where names are not UTF-8: as text they could name another file. */
export type Address = string | Buffer

/** The path of `name` in a folder, for system calls. */
export function pathIn(folder: Address, name: Buffer): Buffer {
  return Buffer.concat([bytesOf(folder), Buffer.from('/'), name])
}

function bytesOf(address: Address): Buffer {
  return Buffer.from(typeof address === 'string' ? bytesOnDisk(address) : address)
}

interface Level {
  address: Address
  /** Undefined on systems without `/proc/self/fd`, and while the level is closed. */
  fd: number | undefined
  /** Identifies the folder of a closed level, to check it when it is opened again. */
  closed?: { dev: number; ino: number }
}

// The deepest 32 levels stay open, because they are used next. Of the levels above, only the first stays open.
const mostOpen = 32

/**
 * A cursor that walks down nested folders of any depth and up again. It opens each folder through the descriptor of
 * the folder above and never follows a link, so no path is longer than one name. At most 33 descriptors are open. On
 * the way up it opens a closed folder again through `..` of the folder below, and checks that it is still the same
 * folder.
 */
export function createDescent() {
  const levels: Level[] = []

  /** Closes the level that is now more than 32 levels above the deepest. */
  function closeFar(): void {
    const far = levels.length > mostOpen + 1 ? levels.at(-1 - mostOpen) : undefined
    if (far?.fd === undefined) return
    const { dev, ino } = fstatSync(far.fd)
    far.closed = { dev, ino }
    closeSync(far.fd)
    far.fd = undefined
  }

  function leave(): Level | undefined {
    const level = levels.pop()
    if (level?.fd !== undefined) closeSync(level.fd)
    return level
  }

  return {
    /** How many folders are entered and not left. */
    depth: () => levels.length,

    /** The path of the current folder, for system calls. It changes with each step. */
    address: (): Address => levels.at(-1)?.address ?? '',

    /** Enters a folder. @throws the system's error. The current folder then stays the same. */
    down(address: Address): void {
      levels.push(openFolder(address))
      closeFar()
    },

    /**
     * Goes back to the folder above.
     *
     * @throws EBUSY when that folder was moved. The current folder is then the deepest one that is still open.
     */
    up(): void {
      const above = levels.at(-2)
      try {
        if (above?.closed) reopen(above, levels.at(-1)?.address ?? '')
        leave()
      } catch (error) {
        leave()
        while (levels.at(-1)?.closed) leave()
        throw error
      }
    },

    /** Leaves all folders. */
    close(): void {
      while (levels.length > 0) leave()
    },
  }
}

function openFolder(address: Address): Level {
  if (process.platform !== 'linux') return { address, fd: undefined }
  const fd = openSync(address, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  return { address: `/proc/self/fd/${fd}`, fd }
}

/** Opens a closed level again. @throws EBUSY when the folder above is now another one. */
function reopen(level: Level, below: Address): void {
  const { fd, address } = openFolder(`${below}/..`)
  const stats = fd === undefined ? undefined : fstatSync(fd)
  if (stats?.dev !== level.closed?.dev || stats?.ino !== level.closed?.ino) {
    if (fd !== undefined) closeSync(fd)
    throw Object.assign(new Error('a folder was moved while it was walked through'), { code: 'EBUSY' })
  }
  Object.assign(level, { fd, address, closed: undefined })
}
