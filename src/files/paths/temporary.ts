import { randomId } from '#src/core/secret.ts'

// Names that Coffer gives to its own entries in users' folders. They are reserved on every disk, in upper and lower
// case: users cannot see, open or create such names.

// Received files are written beside their target, so that the final rename stays on one disk.
const temporaryPrefix = '.coffer-part-'

/** The folder for deleted entries and old contents at the top of a disk (`files/kept/kept-folder.ts`). */
export const keptName = '.coffer-kept'

const reservedPrefixes = [temporaryPrefix, keptName]

/** Returns a new name for a file that is still being written. */
export function temporaryName(): string {
  return `${temporaryPrefix}${randomId()}`
}

/** Whether a name on the disk is the name of a file that is still being written. */
export function isTemporary(name: string): boolean {
  return hasPrefix(name, temporaryPrefix)
}

/** Whether a name on the disk is reserved for Coffer, and hidden from users. */
export function isReserved(name: string): boolean {
  return name.startsWith('.') && reservedPrefixes.some((prefix) => hasPrefix(name, prefix))
}

/** Whether a path leads to or through an entry with a reserved name. */
export function hasReserved(path: string): boolean {
  if (!path.includes('/.')) return false
  const lower = path.toLowerCase()
  return reservedPrefixes.some((prefix) => lower.includes(`/${prefix}`))
}

function hasPrefix(name: string, prefix: string): boolean {
  return name.slice(0, prefix.length).toLowerCase() === prefix
}
