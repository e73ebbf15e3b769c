import { dlopen } from 'node:ffi'

// An access control list on Linux: a version, then entries with a tag, permissions and an id (acl(5)).
const tags = { owner: 1, user: 2, group: 4, mask: 16, other: 32 } as const
const nobody = 0xffffffff

type Kind = 'access' | 'default'

const { functions } = dlopen(null, {
  getxattr: { arguments: ['string', 'string', 'pointer', 'uint64'], return: 'int64' },
  setxattr: { arguments: ['string', 'string', 'pointer', 'uint64', 'int32'], return: 'int32' },
})

/**
 * Gives a file or folder an access control list that lets the user `uid` read it. Returns whether the disk supports
 * this.
 */
export function grantRead(path: string, uid: number, kind: Kind = 'access'): boolean {
  const version = Buffer.alloc(4)
  version.writeUInt32LE(2)
  const entry = (tag: keyof typeof tags, rights: number, id = nobody) => {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt16LE(tags[tag], 0)
    bytes.writeUInt16LE(rights, 2)
    bytes.writeUInt32LE(id, 4)
    return bytes
  }
  const entries = [
    entry('owner', 6),
    entry('user', 4, uid),
    entry('group', 4),
    entry('mask', 4),
    entry('other', 0),
  ]
  const value = Buffer.concat([version, ...entries])
  return functions.setxattr(path, `system.posix_acl_${kind}`, value, BigInt(value.length), 0) === 0
}

/** The access control list of a file in hexadecimal; empty if it has none. */
export function aclOf(path: string): string {
  const value = Buffer.alloc(1024)
  const length = Number(functions.getxattr(path, 'system.posix_acl_access', value, BigInt(value.length)))
  return value.subarray(0, Math.max(0, length)).toString('hex')
}
