import { randomId } from '#src/core/secret.ts'

// Received files are written beside their target, so that the final rename stays on one disk. The prefix is reserved,
// in any case: users cannot see, open or create such names.
const prefix = '.coffer-part-'

/** Returns a new name for a file that is still being written. */
export function temporaryName(): string {
  return `${prefix}${randomId()}`
}

/** Whether a name on the disk is a temporary name, which is hidden from users. */
export function isTemporary(name: string): boolean {
  return name.startsWith('.') && name.slice(0, prefix.length).toLowerCase() === prefix
}

/** Whether a path leads to or through a temporary file or folder. */
export function hasTemporary(path: string): boolean {
  return path.includes('/.') && path.toLowerCase().includes(`/${prefix}`)
}
