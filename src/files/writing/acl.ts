import { lazyLibc } from '#src/core/libc.ts'
import { nulTerminated } from '#src/files/paths/byte-names.ts'
import { remoteMountOf } from '#src/files/paths/remote-mounts.ts'

// Linux stores access control lists in extended attributes (acl(5)). Node has no API for them, so these are calls
// into libc.
const load = lazyLibc({
  lgetxattr: { arguments: ['pointer', 'pointer', 'pointer', 'uint64'], return: 'int64' },
  setxattr: { arguments: ['pointer', 'pointer', 'pointer', 'uint64', 'int32'], return: 'int32' },
  removexattr: { arguments: ['pointer', 'pointer'], return: 'int32' },
})

const attribute = Buffer.from('system.posix_acl_access\0')
// The maximum size of an attribute value (xattr(7)).
const largest = 64 * 1024

/**
 * Copies the access control list of `from` to `to`. If `from` has none, removes the one that `to` may have inherited
 * from its folder. Changes nothing where the disk or the permissions of this process do not allow it. Does not follow
 * a symbolic link as `from`.
 *
 * @param real the real path of `from`. On a network disk, which may hang, nothing is read or changed
 * @returns false when `from` has a list that could not be set on `to`; true also where lists are not supported
 */
export function copyAcl(from: string | Buffer, to: string | Buffer, real: string): boolean {
  const libc = remoteMountOf(real) === undefined ? load() : undefined
  if (!libc) return true
  const value = Buffer.alloc(largest)
  const [source, target] = [nulTerminated(from), nulTerminated(to)]
  const length = Number(libc.lgetxattr(source, attribute, value, BigInt(largest)))
  if (length > 0) return libc.setxattr(target, attribute, value, BigInt(length), 0) === 0
  libc.removexattr(target, attribute)
  return true
}
