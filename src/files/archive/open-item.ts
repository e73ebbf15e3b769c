import { closeSync, constants, fstatSync } from 'node:fs'
import { errnoOf } from '#src/core/problem.ts'
import { faultOfLinkSync } from '#src/files/jail/dangling.ts'
import { openSync, readlinkSync, realpathSync } from '#src/files/paths/disk.ts'
import { accessProblem } from '#src/files/paths/path-access.ts'
import { leadsToRemoteMount } from '#src/files/paths/remote-mounts.ts'
import { trueNameSync } from '#src/files/paths/true-name.ts'
import type { CompiledBounds, Item } from './formats/entry.ts'

const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
// open(2): a descriptor that only identifies a file, without opening it. See the jail.
const O_PATH = 0o10000000

/** Why a symbolic link is not in an archive, as text for `_errors.txt`. */
export const linkFaults = {
  outside: 'a symbolic link to a place outside your folder',
  broken: 'a broken symbolic link',
  loop: 'a symbolic link that leads back to itself',
} as const

/** Thrown for a path that is hidden by a rule or is secret. It is left out of the archive silently. */
export const hiddenError = new Error('hidden')

/**
 * Opens a file for reading. Follows a symbolic link only to a file that the user can reach by its own path. It opens
 * the target with O_PATH, checks it, then opens it through that descriptor. So the target cannot be swapped after the
 * check. Systems without `/proc/self/fd` open the checked real path.
 *
 * @throws `hidden`; an error whose message goes into `_errors.txt`; or a system error with `code`.
 */
export function openItem(
  { address, follow }: Pick<Item, 'address' | 'follow'>,
  bounds: CompiledBounds,
): number {
  if (follow === 'inside') return openLink(address, bounds)
  // O_NONBLOCK: if a named pipe has replaced the file, do not wait for a writer.
  return openSync(address, O_RDONLY | O_NONBLOCK | (follow === 'never' ? O_NOFOLLOW : 0))
}

function openLink(address: string, bounds: CompiledBounds): number {
  if (leadsToRemoteMount(address, bounds))
    throw new Error('a symbolic link to a disk that does not respond or is outside your folder')
  if (process.platform !== 'linux') {
    const real = followed(address, bounds, () => realpathSync(address))
    check(real, bounds)
    return openSync(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  }
  const mark = followed(address, bounds, () => openSync(address, O_PATH))
  try {
    const own = `/proc/self/fd/${mark}`
    check(readlinkSync(own), bounds)
    const stats = fstatSync(mark)
    if (stats.isDirectory())
      throw new Error('a symbolic link to a folder; an archive follows only links to files')
    if (!stats.isFile()) throw new Error('a symbolic link to neither a file nor a folder')
    return openSync(own, O_RDONLY | O_NONBLOCK)
  } finally {
    closeSync(mark)
  }
}

/** Follows a symbolic link. The system reports one that leads nowhere like a missing file, or like a replaced one. */
function followed<T>(address: string, bounds: CompiledBounds, follow: () => T): T {
  try {
    return follow()
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ELOOP') throw new Error(linkFaults.loop, { cause: error })
    if (errno !== 'ENOENT' && errno !== 'ENOTDIR') throw error
    // Says nothing about places that are hidden or outside, not even whether they exist.
    const fault = faultOfLinkSync(address, bounds)
    if (fault === 'missing') throw new Error(linkFaults.broken, { cause: error })
    if (fault) refuse(fault)
    throw error
  }
}

function check(real: string, bounds: CompiledBounds): void {
  const code = accessProblem(bounds, trueNameSync(real))
  if (code) refuse(code)
}

function refuse(code: NonNullable<ReturnType<typeof accessProblem>>): never {
  throw code === 'path.outside' ? new Error(linkFaults.outside) : hiddenError
}

/** Returns why a file could not be added, as text for `_errors.txt`. Undefined for a hidden file. */
export function faultOf(error: unknown): string | undefined {
  if (error === hiddenError) return undefined
  const { code, message } = error as NodeJS.ErrnoException
  return code ? (reasons.get(code) ?? `it cannot be read (${code})`) : message
}

const reasons = new Map([
  ['EACCES', 'the operating system denies access'],
  ['EPERM', 'the operating system denies access'],
  ['ENOENT', 'it no longer exists, or its name is not valid'],
  ['ELOOP', 'a symbolic link replaced it'],
  ['ENOTDIR', 'it is no longer a folder'],
  ['EIO', 'the disk cannot read it'],
])
