import { closeLater } from '#src/files/paths/disk.ts'

/** A reference count that keeps a folder open while names in it are needed. */
export interface ReferenceCount {
  retain(): void
  release(): void
}

/** Creates a count with one user. Closes the descriptor after the last release. */
export function countOf(fd: number | undefined): ReferenceCount {
  return countOn(() => fd !== undefined && closeLater(fd))
}

/** Creates a count with one user. Calls `end` after the last release. */
export function countOn(end: () => void): ReferenceCount {
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
