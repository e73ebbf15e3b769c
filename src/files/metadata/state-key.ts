import { createHash } from 'node:crypto'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'

// Part of every key. Increase it when more is read from files than before.
const version = 1

/**
 * The key of one state of a file, independent of its path and the user. It includes the change time of the inode, which
 * programs cannot set.
 */
export function stateKey({ dev, ino, size, mtimeMs, ctimeMs }: FileState): string {
  const state = [version, dev, ino, size, mtimeMs, ctimeMs].join(' ')
  return createHash('sha256').update(state).digest('base64url').slice(0, 22)
}
