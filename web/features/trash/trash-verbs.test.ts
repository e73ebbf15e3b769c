import t from 'tap'
import type { Permissions } from '#contract/users.ts'
import { noPermissions } from '#web/actions/registry.ts'
import { session } from '#web/shared/session.ts'
import { trashItem } from '#web/testing/trash.ts'
import { type TrashVerb, verbsFor } from './trash-verbs.ts'

const file = trashItem(1)
const folder = trashItem(2, { isDir: true })

/** Signs in a user with these permissions. */
function signIn(perm: Partial<Permissions>): void {
  session.user = { perm: { ...noPermissions, ...perm } } as NonNullable<typeof session.user>
}

const every: TrashVerb[] = ['look', 'restore', 'restore-to', 'download', 'delete']

t.test('each action on the trash needs its permission, and some need a single file', async (t) => {
  const may = { create: true, delete: true, download: true }
  signIn(may)
  t.strictSame(verbsFor([file]), every)
  t.strictSame(verbsFor([folder]), ['look', 'restore', 'restore-to', 'delete'])
  t.strictSame(verbsFor([file, folder]), ['restore', 'restore-to', 'delete'])
  t.strictSame(verbsFor([]), [])
  signIn({ ...may, create: false })
  t.strictSame(verbsFor([file]), ['look', 'download', 'delete'])
  signIn({ ...may, delete: false })
  t.strictSame(verbsFor([file]), ['look', 'restore', 'restore-to', 'download'])
  signIn({ ...may, download: false })
  t.strictSame(verbsFor([file]), ['look', 'restore', 'restore-to', 'delete'])
  signIn({})
  t.strictSame(verbsFor([file, folder]), [])
  session.user = undefined
  t.strictSame(verbsFor([file]), [], 'after signing out')
})
