import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Permissions, Preferences, Rule } from '#contract/users.ts'

/** One account. Its password hash is not here but in `credentials`, so that no listing can leak it. */
export const UserRecord = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  username: Type.String(),
  /** Folder inside the served root, `/` for all of it. */
  scope: Type.String(),
  lockPassword: Type.Boolean(),
  perm: Permissions,
  commands: Type.Array(Type.String()),
  rules: Type.Array(Rule),
  ...Preferences.properties,
})
export type UserRecord = Static<typeof UserRecord>

const Defaults = Type.Object({
  scope: Type.String(),
  perm: Permissions,
  commands: Type.Array(Type.String()),
  ...Preferences.properties,
})

/** The instance's settings (contract/compatibility.md#settings). */
export const SettingsRecord = Type.Object({
  signup: Type.Boolean(),
  hideLoginButton: Type.Boolean(),
  createUserDir: Type.Boolean(),
  userHomeBasePath: Type.String(),
  minimumPasswordLength: Type.Integer({ minimum: 1 }),
  fileMode: Type.Integer(),
  dirMode: Type.Integer(),
  defaults: Defaults,
  rules: Type.Array(Rule),
  branding: Type.Object({
    name: Type.String(),
    disableExternal: Type.Boolean(),
    disableUsedPercentage: Type.Boolean(),
    files: Type.String(),
    theme: Type.Enum(['', 'dark', 'light']),
    followDevice: Type.Boolean(),
    color: Type.String(),
  }),
  /** How browsers upload in pieces: bytes a piece, and tries a piece. */
  tus: Type.Object({ chunkSize: Type.Integer({ minimum: 1 }), retryCount: Type.Integer({ minimum: 0 }) }),
  shell: Type.Array(Type.String()),
  commands: Type.Record(Type.String(), Type.Array(Type.String())),
})
export type SettingsRecord = Static<typeof SettingsRecord>

/** One link to a file or folder, for people without an account (contract/README.md#shares). Times are seconds since 1970. */
export const ShareRecord = Type.Object({
  /** At least 128 random bits. */
  hash: Type.String({ minLength: 22 }),
  userID: Type.Integer({ minimum: 1 }),
  /** Where it is in the owner's scope, links resolved; follows when it is renamed. */
  path: Type.String(),
  /** 0: for ever. */
  expire: Type.Integer({ minimum: 0 }),
  created: Type.Integer(),
  /** argon2id hash; empty: none is asked for. */
  password: Type.String(),
  /** The very thing that was shared: what takes its place later is something else. */
  thing: Type.Object({ dev: Type.Number(), ino: Type.Number(), birth: Type.Number() }),
})
export type ShareRecord = Static<typeof ShareRecord>

/** The whole state file. */
export const State = Type.Object({
  version: Type.Literal(4),
  /** Ids are never used twice, so that nothing of a deleted user falls to a later one. */
  nextUserId: Type.Integer({ minimum: 1 }),
  users: Type.Record(Type.String(), UserRecord),
  credentials: Type.Object({
    /** Signs tokens and tickets; base64 of 64 random bytes. */
    signingKey: Type.String({ minLength: 43 }),
    /** argon2id hashes by user id. */
    passwords: Type.Record(Type.String(), Type.String()),
  }),
  settings: SettingsRecord,
  shares: Type.Record(Type.String(), ShareRecord),
  /** The id of the first administrator and the hash of the generated password, until that password has been printed. */
  unprinted: Type.Optional(Type.Object({ id: Type.Integer(), hash: Type.String() })),
})
export type State = Static<typeof State>

const states = Compile(State)
const users = Compile(UserRecord)
const shares = Compile(ShareRecord)

/** Undefined for a state of the current version; otherwise where it is wrong, as `/users/1/perm: must be object`. */
export function stateFault(value: unknown): string | undefined {
  if (!states.Check(value)) return firstOf(states.Errors(value))
  for (const [key, { id }] of Object.entries(value.users)) {
    if (key !== String(id)) return `/users/${key}/id: is not the key of the record`
  }
  for (const [key, { hash }] of Object.entries(value.shares)) {
    if (key !== hash) return `/shares/${key}/hash: is not the key of the record`
  }
  return undefined
}

/** What is wrong with the user under this key, as `/perm: must be object`; undefined: nothing. */
export function userFault(key: string, value: unknown): string | undefined {
  if (!users.Check(value)) return firstOf(users.Errors(value))
  return key === String(value.id) ? undefined : '/id: is not the key of the record'
}

/** What is wrong with the link under this key, as `/expire: must be integer`; undefined: nothing. */
export function shareFault(key: string, value: unknown): string | undefined {
  if (!shares.Check(value)) return firstOf(shares.Errors(value))
  return key === value.hash ? undefined : '/hash: is not the key of the record'
}

function firstOf([first]: { instancePath: string; message: string }[]): string {
  return `${first?.instancePath || '/'}: ${first?.message ?? 'is damaged'}`
}

/** What somebody may do of whom nothing is said. */
export const nothing: Permissions = {
  admin: false,
  execute: false,
  create: false,
  rename: false,
  modify: false,
  delete: false,
  share: false,
  download: false,
}

/** What an administrator may do. */
export const everything: Permissions = {
  admin: true,
  execute: true,
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
}

const preferences: Preferences = {
  locale: '',
  viewMode: 'list',
  sorting: { by: 'name', asc: false },
  singleClick: false,
  hideDotfiles: false,
  dateFormat: false,
  aceEditorTheme: '',
  redirectAfterCopyMove: true,
  theme: '',
}

/** What commands can be bound to; settings always name all of them (contract/compatibility.md#settings). */
export const hookEvents = ['save', 'copy', 'rename', 'upload', 'delete'].flatMap((name) => [
  `before_${name}`,
  `after_${name}`,
])

/** What the first administrator may do and sees. */
export const firstUser = { scope: '/', perm: everything, ...preferences }

/** The settings of a new instance: people who are added may work with files and nothing more. */
export function newSettings(): SettingsRecord {
  return {
    signup: false,
    hideLoginButton: false,
    createUserDir: false,
    userHomeBasePath: '/users',
    minimumPasswordLength: 12,
    fileMode: 0o640,
    dirMode: 0o750,
    defaults: {
      scope: '.',
      perm: { ...everything, admin: false, execute: false },
      commands: [],
      ...preferences,
    },
    rules: [],
    branding: {
      name: '',
      disableExternal: false,
      disableUsedPercentage: false,
      files: '',
      theme: '',
      followDevice: false,
      color: '',
    },
    tus: { chunkSize: 10 * 1024 * 1024, retryCount: 5 },
    shell: [],
    commands: Object.fromEntries(hookEvents.map((name) => [name, []])),
  }
}
