import t from 'tap'
import type { Permissions } from '#contract/users.ts'
import { roleOf, withRole } from './roles.ts'

const none: Permissions = {
  ...{ admin: false, execute: true, create: false, rename: false },
  ...{ modify: false, delete: false, share: false, download: false },
}

t.test('a role is a set of permissions, and every other set is a custom one', async (t) => {
  for (const role of ['viewer', 'contributor', 'editor'] as const) {
    const perm = withRole(role, { ...none, share: true })
    t.equal(roleOf(perm), role)
    t.equal(perm.execute, true, 'a role does not decide about commands')
  }
  t.equal(roleOf(none), 'custom')
  t.equal(roleOf({ ...none, admin: true }), 'administrator')
  t.equal(roleOf({ ...withRole('editor', none), delete: false }), 'custom')
})
