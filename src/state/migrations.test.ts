import t from 'tap'
import { firstUser, newSettings } from './defaults.ts'
import { currentVersion, isNewer, migrate } from './migrations.ts'
import { stateFault } from './state.ts'

const steps = [
  (state: Record<string, unknown>) => {
    state.second = 'made of 1'
  },
  (state: Record<string, unknown>) => {
    state.third = `${state.second}, then of 2`
  },
]

t.test('migrates an old state step by step', async (t) => {
  t.strictSame(migrate({ version: 1, kept: true }, steps), {
    version: 3,
    kept: true,
    second: 'made of 1',
    third: 'made of 1, then of 2',
  })
  t.strictSame(migrate({ version: 2, second: 'there' }, steps), {
    version: 3,
    second: 'there',
    third: 'there, then of 2',
  })
})

t.test('leaves a state of the current version unchanged', async (t) => {
  t.strictSame(migrate({ version: 3, kept: true }, steps), { version: 3, kept: true })
  t.strictSame(migrate({ version: currentVersion }), { version: currentVersion })
})

t.test('refuses content that is not a state or is newer than this program', async (t) => {
  for (const content of [null, 7, 'text', [], {}, { version: '1' }, { version: 0 }, { version: 1.5 }]) {
    t.equal(migrate(content, steps), undefined, JSON.stringify(content))
  }
  t.equal(migrate({ version: 4 }, steps), undefined)
  t.equal(migrate({ version: currentVersion + 1 }), undefined)
  t.ok(isNewer({ version: currentVersion + 1 }))
  for (const content of [null, 7, {}, { version: '9' }, { version: currentVersion }])
    t.notOk(isNewer(content))
})

t.test('migrating does not change its argument', async (t) => {
  const old = Object.freeze({ version: 1 })
  migrate(old, steps)
  t.strictSame(old, { version: 1 })
})

t.test('a state of version 1 gets the later preferences and settings, and is valid', async (t) => {
  const { hideLoginButton: _button, tus: _tus, branding, ...settings } = newSettings()
  const { followDevice: _follow, ...look } = branding
  const without = <T extends typeof firstUser | typeof settings.defaults>(one: T) => {
    const { aceEditorTheme: _editor, redirectAfterCopyMove: _jump, theme: _theme, ...rest } = one
    return rest
  }
  const [user, defaults] = [without(firstUser), without(settings.defaults)]
  const old = {
    version: 1,
    nextUserId: 2,
    users: { 1: { ...user, id: 1, username: 'ann', lockPassword: false, commands: [], rules: [] } },
    credentials: { signingKey: 'k'.repeat(88), passwords: { 1: 'hash' } },
    settings: { ...settings, branding: look, defaults },
  }
  t.ok(stateFault(old))
  const state = migrate(old)
  t.equal(stateFault(state), undefined)
  t.match(state, {
    users: { 1: { username: 'ann', aceEditorTheme: '', redirectAfterCopyMove: false, theme: '' } },
    settings: {
      hideLoginButton: false,
      createUserDir: false,
      branding: { theme: '', followDevice: true },
      tus: { chunkSize: 10485760, retryCount: 5 },
    },
  })
})

t.test('where sign-up was enabled before version 4, new users still get a folder of their own', async (t) => {
  const settings = (signup: unknown) => ({ signup, createUserDir: false })
  for (const signup of [true, false, 'yes']) {
    const state = migrate({ version: 3, users: {}, settings: settings(signup) })
    t.match(state, { settings: { signup, createUserDir: signup === true } }, String(signup))
  }
  t.match(migrate({ version: 4, settings: settings(true) }), { settings: { createUserDir: false } })
})

t.test('a damaged state of an old version passes the migration and is refused afterwards', async (t) => {
  for (const damaged of [
    {},
    { users: 'x', settings: 7 },
    { users: { 1: null }, settings: { defaults: [] } },
  ]) {
    t.ok(stateFault(migrate({ version: 1, ...damaged })), JSON.stringify(damaged))
  }
})
