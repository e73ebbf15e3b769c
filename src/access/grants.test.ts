import t from 'tap'
import { allPermissions, noPermissions } from '#src/state/defaults.ts'
import { checkCommands, checkRules, cleanPreferences, effectivePermissions } from './grants.ts'

t.test('an administrator has every permission, other users have only those that are granted', async (t) => {
  t.strictSame(effectivePermissions({ ...noPermissions, admin: true }), allPermissions)
  for (const right of ['create', 'share'] as const)
    t.strictSame(effectivePermissions({ ...noPermissions, [right]: true }), {
      ...noPermissions,
      [right]: true,
    })
})

t.test('fills in the defaults of the fields that a client omits from a rule', async (t) => {
  t.strictSame(checkRules(null, 'rules'), [])
  t.strictSame(
    checkRules(
      [{ path: '/a' }, { allow: true, regex: true, regexp: { raw: 'b' } }, { path: '/c', regexp: {} }],
      'rules',
    ),
    [
      { allow: false, path: '/a', regex: false, regexp: null },
      { allow: true, path: '', regex: true, regexp: { raw: 'b' } },
      { allow: false, path: '/c', regex: false, regexp: { raw: '' } },
    ],
  )
})

t.test('refuses a rule that cannot match anything, naming its number and field', async (t) => {
  const good = { path: '/a' }
  for (const bad of [
    {},
    { path: 'a' },
    { path: ' /a' },
    { regex: true },
    { regex: true, regexp: null },
    { regex: true, regexp: { raw: '' } },
    { regex: true, path: '/a', regexp: { raw: '(' } },
    { regex: true, regexp: { raw: '(?!a)' } },
    { regex: true, regexp: { raw: '(a)\\1' } },
    { regex: true, regexp: { raw: '(a{1000}){1000}' } },
  ]) {
    t.throws(() => checkRules([good, bad], 'rules'), {
      code: 'request.invalid',
      details: { field: 'regex' in bad ? 'rules.1.regexp.raw' : 'rules.1.path' },
    })
  }
  for (const raw of ['(?i)a', '\\Aa\\z', '(?P<n>a)', '[[:alpha:]]']) {
    t.ok(checkRules([{ regex: true, regexp: { raw } }], 'rules'), `${raw} is RE2`)
  }
})

t.test('removes duplicate commands and refuses those that are not names of programs', async (t) => {
  t.strictSame(checkCommands(['git', '', 'git', 'g++', '7z', 'a.out'], 'commands'), [
    'git',
    'g++',
    '7z',
    'a.out',
  ])
  t.strictSame(checkCommands(null, 'commands'), [])
  for (const name of ['git status', '/bin/sh', '..\\cmd', 'a\tb', 'a\u0000', ' git', 'a\u200bb']) {
    t.throws(() => checkCommands([name], 'commands'), {
      code: 'request.invalid',
      details: { field: 'commands' },
    })
  }
})

t.test(
  'an empty view mode or sorting becomes the default, and missing preferences stay missing',
  async (t) => {
    t.strictSame(cleanPreferences({}), {})
    t.strictSame(cleanPreferences({ viewMode: '', sorting: { by: '', asc: true }, locale: '' }), {
      locale: '',
      viewMode: 'list',
      sorting: { by: 'name', asc: true },
    })
    const all = {
      locale: 'de',
      viewMode: 'mosaic gallery',
      sorting: { by: 'size', asc: false },
      singleClick: true,
      hideDotfiles: true,
      dateFormat: true,
      aceEditorTheme: 'twilight',
      redirectAfterCopyMove: false,
      theme: 'auto',
    } as const
    t.strictSame(cleanPreferences(all), all)
  },
)
