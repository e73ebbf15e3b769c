import { closeLater } from '#src/files/paths/disk.ts'

/** A reference count that keeps a folder open while names in it are needed. */
export interface Lease {
  retain(): void
  release(): void
}

/** Creates a lease with one user. Closes the descriptor after the last release. */
export function leaseOf(fd: number | undefined): Lease {
  return leaseOn(() => fd !== undefined && closeLater(fd))
}

/** Creates a lease with one user. Calls `end` after the last release. */
export function leaseOn(end: () => void): Lease {
  let users = 1
  return {
    retain() {
      users++
    },
    release() {
      users--
      if (users === 0) end()
    },
  }
}
