import t from 'tap'
import type { Permissions, Rule } from '#contract/users.ts'
import { decide } from './decide.ts'
import { roleOf, withRole } from './roles.ts'

const rule = (allow: boolean, path: string): Rule => ({ allow, path, regex: false, regexp: null })
const pattern = (allow: boolean, raw: string): Rule => ({ allow, path: '', regex: true, regexp: { raw } })

t.test('the last rule that matches a path decides', async (t) => {
  const rules = [rule(false, '/private'), rule(true, 'private/open/'), pattern(false, '\\.key$')]
  for (const [path, isAllowed, number] of [
    ['/notes.txt', true, 0],
    ['/private', false, 1],
    ['private/a.txt', false, 1],
    ['/privateer', true, 0],
    ['/private/open/a.txt', true, 2],
    ['/private/open/a.key', false, 3],
    ['', true, 0],
  ] as const)
    t.strictSame(decide(rules, path), { isAllowed, rule: number }, path)
  t.strictSame(decide([rule(true, '/'), pattern(true, '(')], '/a'), { isAllowed: false, rule: 2 })
  t.strictSame(decide([rule(false, '/')], '/a'), { isAllowed: false, rule: 1 })
})

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
