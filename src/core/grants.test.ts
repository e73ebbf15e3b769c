import t from 'tap'
import type { Permissions } from '#contract/users.ts'
import { checkCommands, checkPerm, checkRules, cleanPreferences, wholePerm } from './grants.ts'
import { everything } from './state.ts'

const nothing: Permissions = {
  admin: false,
  execute: false,
  create: false,
  rename: false,
  modify: false,
  delete: false,
  share: false,
  download: false,
}

t.test('an administrator has every permission, whatever else was said', async (t) => {
  t.strictSame(wholePerm({ ...nothing, admin: true }), everything)
  t.not(wholePerm({ ...nothing, admin: true }), everything, 'a copy: nobody changes the one of all')
  t.strictSame(wholePerm({ ...nothing, create: true }), { ...nothing, create: true })
})

t.test('nobody may share what they may not download', async (t) => {
  const refused = { code: 'request.invalid', details: { field: 'data.perm.share' } }
  t.throws(() => checkPerm({ ...nothing, share: true }, 'data.perm'), refused)
  t.strictSame(checkPerm({ ...nothing, share: true, download: true }, 'data.perm').share, true)
  t.strictSame(checkPerm({ ...nothing, admin: true }, 'data.perm'), everything)
})

t.test('rules are stored whole, and only when they can match', async (t) => {
  t.strictSame(checkRules(null, 'rules'), [])
  t.strictSame(checkRules([{ path: '/a' }], 'rules'), [
    { allow: false, path: '/a', regex: false, regexp: null },
  ])
  t.strictSame(checkRules([{ allow: true, regex: true, regexp: { raw: '^/a' } }], 'rules'), [
    { allow: true, path: '', regex: true, regexp: { raw: '^/a' } },
  ])
  for (const bad of [
    { path: 'a' },
    { path: '' },
    {},
    { regex: true },
    { regex: true, regexp: { raw: '(' } },
  ]) {
    const refused = { code: 'request.invalid', details: { field: 'rules.1' } }
    t.throws(() => checkRules([{ path: '/a' }, bad], 'rules'), refused, JSON.stringify(bad))
  }
})

t.test('commands are names of programs, each once', async (t) => {
  t.strictSame(checkCommands(null, 'commands'), [])
  t.strictSame(checkCommands(['git', '', 'ls', 'git'], 'commands'), ['git', 'ls'])
  for (const bad of ['/bin/ls', '../ls', 'ls -l', 'a\\b', 'a\nb', 'zero\u200bwidth']) {
    t.throws(
      () => checkCommands(['ls', bad], 'commands'),
      { code: 'request.invalid' },
      encodeURIComponent(bad),
    )
  }
})

t.test(
  'an empty view mode or sorting means the usual one, and what was not said is left alone',
  async (t) => {
    t.strictSame(cleanPreferences({}), {})
    t.strictSame(cleanPreferences({ viewMode: '', sorting: { by: '', asc: true } }), {
      viewMode: 'list',
      sorting: { by: 'name', asc: true },
    })
    t.strictSame(cleanPreferences({ locale: '', singleClick: false }), { locale: '', singleClick: false })
  },
)
