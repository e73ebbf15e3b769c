import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Test } from 'tap'
import { systemTool } from './system-tool.ts'

/** A user of the system that a test starts a program as. */
export interface Owner {
  uid: number
  gid: number
}

const top = join(import.meta.dirname, '..', '..')

/** The user without special permissions. Undefined if this process has none itself, and so needs no other user. */
export const otherUser: Owner | undefined = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

/** Runs `work` as `otherUser`, because root can read everything. Its files must be in an `openFolder`. */
export function asOtherUser<T>(work: () => T): T {
  if (!otherUser) return work()
  process.seteuid?.(otherUser.uid)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

/**
 * Makes a folder that all users of the system can enter, until the test ends. The fixture folder of a test is below the
 * clone, which may be in a folder that only its owner can enter.
 */
export function openFolder(t: Test): string {
  const folder = createOpenFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** As `openFolder`, but the caller deletes the folder. */
export function createOpenFolder(): string {
  const folder = mkdtempSync(join(openPlace(), 'coffer-'))
  chmodSync(folder, 0o755)
  return folder
}

/** The folder for temporary files, or another one if not all users of the system can enter it. */
export function openPlace(): string {
  const places = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
  const found = places.find(isOpen)
  if (!found) throw new Error(`Not all users can enter ${places.join(', ')}: set TMPDIR to an open folder.`)
  return realpathSync(found)
}

function isOpen(place: string): boolean {
  try {
    let folder = realpathSync(place)
    for (; statSync(folder).mode & 1; folder = dirname(folder)) if (folder === dirname(folder)) return true
    return false
  } catch {
    return false
  }
}

/**
 * Starts a module of the source tree with our Node, as `owner`; undefined: as the current user. Another user may not be
 * able to enter the folder of the clone. So it inherits two descriptors, and reaches Node and the code through them.
 */
export function spawnNode(
  owner: Owner | undefined,
  [module, ...words]: [module: string, ...words: string[]],
  options: SpawnOptions & { stdio: readonly ['ignore' | 'pipe', 'pipe', 'pipe' | 'inherit'] },
): ChildProcess {
  // Only Linux can open a path that begins at a descriptor.
  if (!owner || process.platform !== 'linux')
    return spawn(process.execPath, [module, ...words], { ...options, ...owner })
  const folder = openSync(top, constants.O_RDONLY | constants.O_DIRECTORY)
  const binary = openSync(process.execPath, 'r')
  try {
    // Node must not look up the real paths of modules, because they are in the folder that is closed to this user.
    // Worker threads read these variables too, but not the flags with the same names.
    const variables = ['NODE_PRESERVE_SYMLINKS=1', 'NODE_PRESERVE_SYMLINKS_MAIN=1']
    // tap adds a module of the clone to NODE_OPTIONS, by its full path. `env` removes it, and becomes the program.
    const node = ['-u', 'NODE_OPTIONS', ...variables, '/proc/self/fd/4']
    const main = `/proc/self/fd/3/${relative(top, module)}`
    const stdio = [...options.stdio, folder, binary]
    return spawn(systemTool('env'), [...node, main, ...words], { ...options, ...owner, stdio })
  } finally {
    closeSync(folder)
    closeSync(binary)
  }
}
