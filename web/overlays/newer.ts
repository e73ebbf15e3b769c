/** One of two files of the same name. */
export interface Version {
  /** Bytes. */
  size: number
  /** Milliseconds since 1970. */
  modified: number
}

// FAT stores even seconds, and some network disks whole seconds.
const toleratedMs = 2000

/** Whether the first file is newer than the second. Files of equal size may differ by what a disk cuts off. */
export function isNewer(first: Version, second: Version): boolean {
  return first.modified - second.modified > (first.size === second.size ? toleratedMs : 0)
}
