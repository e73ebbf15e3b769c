import t from 'tap'
import { firstUser, newSettings } from './defaults.ts'
import { currentVersion } from './migrations.ts'
import { type State, stateFault } from './state.ts'

function createState(): State {
  return {
    version: 6,
    nextUserId: 2,
    users: {
      1: { id: 1, username: 'admin', ...firstUser, lockPassword: false, commands: [], rules: [] },
    },
    credentials: { signingKey: 'k'.repeat(88), passwords: { 1: '$argon2id$…' } },
    settings: newSettings(),
    shares: {},
  }
}

t.test('the state of a new instance is valid', async (t) => {
  t.equal(stateFault(createState()), undefined)
  t.equal(createState().version, currentVersion)
})

t.test('new users can work with files, but are no administrators and run no programs', async (t) => {
  const { defaults, signup, createUserDir } = newSettings()
  t.match(defaults.perm, { admin: false, execute: false, create: true, download: true })
  t.strictSame([signup, createUserDir, defaults.commands], [false, false, []])
})

t.test('two instances share no object', async (t) => {
  const [one, two] = [newSettings(), newSettings()]
  one.defaults.perm.create = false
  one.commands.before_save?.push('rm')
  t.strictSame(two, newSettings())
})

t.test('stateFault names the position of the error in the state', async (t) => {
  const faults: [change: (state: State) => void, fault: RegExp][] = [
    [(state) => Object.assign(state, { nextUserId: 0 }), /^\/nextUserId: /],
    [(state) => Object.assign(state.settings, { signup: 'yes' }), /^\/settings\/signup: must be boolean/],
    [(state) => Object.assign(state.settings.branding, { theme: 'pink' }), /^\/settings\/branding\/theme: /],
    [(state) => Object.assign(state.users[1] ?? {}, { perm: null }), /^\/users\/1\/perm: /],
    [(state) => Object.assign(state.users, { 2: 'someone' }), /^\/users\/2: /],
    [(state) => Object.assign(state.credentials, { signingKey: 'short' }), /^\/credentials\/signingKey: /],
    [(state) => Object.assign(state, { users: undefined }), /users/],
  ]
  for (const [change, fault] of faults) {
    const state = createState()
    change(state)
    t.match(stateFault(state), fault)
  }
  for (const none of [null, undefined, 7, 'text', [], {}]) t.type(stateFault(none), 'string')
})
