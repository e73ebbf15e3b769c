import type { DynamicLibraryResult } from 'node:ffi'
import { createRequire } from 'node:module'
import { onDisk } from '#src/files/paths/byte-names.ts'
import { farMountOf } from '#src/files/paths/remote-mounts.ts'

// Node has no call for extended attributes, in which Linux keeps access control lists (acl(5)). These are the system's own.
const signatures = {
  lgetxattr: { arguments: ['pointer', 'pointer', 'pointer', 'uint64'], return: 'int64' },
  setxattr: { arguments: ['pointer', 'pointer', 'pointer', 'uint64', 'int32'], return: 'int32' },
  removexattr: { arguments: ['pointer', 'pointer'], return: 'int32' },
} as const

type Calls = DynamicLibraryResult<typeof signatures>['functions']

const attribute = Buffer.from('system.posix_acl_access\0')
// The largest value that an attribute can have (xattr(7)).
const largest = 64 * 1024

/** The system's calls; undefined where there are none. */
let calls: Calls | null | undefined

function load(): Calls | undefined {
  if (calls !== undefined) return calls ?? undefined
  try {
    // Loaded when it is needed: only then does Node say that this module is experimental.
    const ffi = createRequire(import.meta.url)('node:ffi') as typeof import('node:ffi')
    calls = process.platform === 'linux' ? ffi.dlopen(null, signatures).functions : null
  } catch {
    calls = null // another Node, or a libc without them: files are replaced without their lists
  }
  return calls ?? undefined
}

/**
 * Gives `to` the access control list of `from`, or none if `from` has none: a new file may have got one from its folder.
 * What the disk or the rights of this process do not allow stays as it is. A link as `from` is not followed.
 *
 * @param real where `from` really is: a network disk may not answer, and is not asked
 * @returns false when `from` has a list that `to` could not be given; true also where no list can be asked for
 */
export function copyAcl(from: string | Buffer, to: string | Buffer, real: string): boolean {
  const found = farMountOf(real) === undefined ? load() : undefined
  if (!found) return true
  const value = Buffer.alloc(largest)
  const [source, target] = [terminated(from), terminated(to)]
  const length = Number(found.lgetxattr(source, attribute, value, BigInt(largest)))
  if (length > 0) return found.setxattr(target, attribute, value, BigInt(length), 0) === 0
  found.removexattr(target, attribute)
  return true
}

function terminated(path: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(typeof path === 'string' ? onDisk(path) : path), Buffer.alloc(1)])
}
