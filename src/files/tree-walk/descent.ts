import { closeSync, constants, fstatSync } from 'node:fs'
import { onDisk } from '#src/files/paths/byte-names.ts'
import { openSync } from '#src/files/paths/disk.ts'

/** A name for system calls. Bytes: names on the disk need not be UTF-8, and as text they might be another file's. */
export type Address = string | Buffer

/** The name `name` in a folder, for system calls. */
export function nameIn(folder: Address, name: Buffer): Buffer {
  return Buffer.concat([bytesOf(folder), Buffer.from('/'), name])
}

function bytesOf(address: Address): Buffer {
  return Buffer.from(typeof address === 'string' ? onDisk(address) : address)
}

interface Level {
  address: Address
  /** Undefined where the system has no names for descriptors, and while the level is closed. */
  fd: number | undefined
  /** Which folder a closed level is, so that it is known when it is opened again. */
  closed?: { dev: number; ino: number }
}

// The deepest levels are the ones that are used next; of those above, only the first stays open.
const mostOpen = 32

/**
 * A way down into folders, one inside the other, however deep: each is opened by descriptor and never through a link, so no
 * path is longer than one name. At most 33 descriptors are open. On the way back a closed folder is opened through the one
 * below it (`..`), and has to be the same as before.
 */
export function createDescent() {
  const levels: Level[] = []

  /** Closes the level that has become too far away. */
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
    /** How many folders it has gone into and not left. */
    depth: () => levels.length,

    /** The name of the folder where it is. It changes with each step. */
    address: (): Address => levels.at(-1)?.address ?? '',

    /** Goes into a folder. @throws the system's error; it stays where it is then. */
    down(address: Address): void {
      levels.push(openFolder(address))
      closeFar()
    },

    /**
     * Goes back to the folder above.
     *
     * @throws EBUSY when that was moved away meanwhile. It is then at the deepest folder above that is still open.
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

/** @throws EBUSY when another folder is above by now. */
function reopen(level: Level, below: Address): void {
  const { fd, address } = openFolder(`${below}/..`)
  const stats = fd === undefined ? undefined : fstatSync(fd)
  if (stats?.dev !== level.closed?.dev || stats?.ino !== level.closed?.ino) {
    if (fd !== undefined) closeSync(fd)
    throw Object.assign(new Error('a folder was moved while it was walked through'), { code: 'EBUSY' })
  }
  Object.assign(level, { fd, address, closed: undefined })
}
