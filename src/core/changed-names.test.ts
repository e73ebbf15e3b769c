import t from 'tap'
import { changedNames } from './changed-names.ts'

t.test('the names of changed fields say nothing about their values', async (t) => {
  const before = { scope: '/', perm: { admin: false, share: true }, rules: [1], same: { a: [1] }, gone: 1 }
  const after = {
    scope: '/a',
    perm: { admin: true, share: true },
    rules: [1, 2],
    same: { a: [1] },
    password: 'x',
  }
  t.strictSame(changedNames(before, after), ['gone', 'password', 'perm.admin', 'rules', 'scope'])
  t.strictSame(changedNames(before, structuredClone(before)), [])
})
