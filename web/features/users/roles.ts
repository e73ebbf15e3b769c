import { msg } from '@lingui/core/macro'
import type { Permissions } from '#contract/users.ts'

/** The permissions that roles decide. Commands and the website are granted one by one. */
const decided = ['create', 'delete', 'download', 'modify', 'rename', 'share'] as const

const granted = {
  viewer: ['download'],
  contributor: ['download', 'create'],
  editor: decided,
} as const satisfies Record<string, readonly (keyof Permissions)[]>

/** A usual set of permissions. */
export type Role = keyof typeof granted | 'administrator' | 'custom'

/** All roles with their names, from few to many permissions. */
export const roles = [
  ['viewer', msg`Viewer: see and download`],
  ['contributor', msg`Contributor: also add files`],
  ['editor', msg`Editor: also change and share`],
  ['administrator', msg`Administrator: everything`],
  ['custom', msg`Custom`],
] as const

/** The role with exactly these permissions. */
export function roleOf(perm: Permissions): Role {
  if (perm.admin) return 'administrator'
  const found = Object.entries(granted).find(([, names]) =>
    decided.every((name) => perm[name] === (names as readonly string[]).includes(name)),
  )
  return (found?.[0] as Role | undefined) ?? 'custom'
}

/** The permissions of a user with this role. The role keeps the permissions that it does not define. */
export function withRole(role: keyof typeof granted, perm: Permissions): Permissions {
  const names: readonly string[] = granted[role]
  return { ...perm, ...Object.fromEntries(decided.map((name) => [name, names.includes(name)])) }
}
