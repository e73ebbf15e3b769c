import { randomId } from '#src/core/secret.ts'

// Files being received lie beside their target, so that the final rename stays on one disk. The name is reserved:
// nothing that begins so, in any case, is ever shown, opened or made at a person's wish.
const prefix = '.coffer-part-'

/** A fresh name for a file that is still being written. */
export function temporaryName(): string {
  return `${prefix}${randomId()}`
}

/** Whether a name on disk is one of ours that nobody may see. */
export function isTemporary(name: string): boolean {
  return name.startsWith('.') && name.slice(0, prefix.length).toLowerCase() === prefix
}

/** Whether a path leads to or through something that is still being written. */
export function hasTemporary(path: string): boolean {
  return path.includes('/.') && path.toLowerCase().includes(`/${prefix}`)
}
