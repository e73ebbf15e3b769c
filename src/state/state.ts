import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { AuditSettings } from '#contract/history/audit.ts'
import { KeepingSettings } from '#contract/history/kept.ts'
import { MailSettings } from '#contract/notices/mail.ts'
import { StaticGen } from '#contract/publish.ts'
import { ShareConditions, SharingPolicy, shareRights } from '#contract/shares.ts'
import { FolderViews, Permissions, Preferences, Rule } from '#contract/users.ts'
import { validatorOf } from '#src/core/storage/validator.ts'

/** A user. The password hash is in `credentials` instead, so that no listing can leak it. */
export const UserRecord = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  username: Type.String(),
  /** Folder inside the root, `/` for all of it. */
  scope: Type.String(),
  lockPassword: Type.Boolean(),
  /** Whether Coffer made up the password, so that it must be changed at the next sign-in. Missing means false. */
  mustChangePassword: Type.Optional(Type.Boolean()),
  perm: Permissions,
  commands: Type.Array(Type.String()),
  rules: Type.Array(Rule),
  /** The view of each folder in which the user changed it. The folder changed last is the last one. */
  folderViews: Type.Optional(FolderViews),
  ...Preferences.properties,
})
export type UserRecord = Static<typeof UserRecord>

const Defaults = Type.Object({
  scope: Type.String(),
  perm: Permissions,
  commands: Type.Array(Type.String()),
  ...Preferences.properties,
})

/** The settings of the instance (contract/compatibility.md#settings). */
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
  /** How browsers upload in chunks: bytes per chunk, and retries per chunk. */
  tus: Type.Object({ chunkSize: Type.Integer({ minimum: 1 }), retryCount: Type.Integer({ minimum: 0 }) }),
  shell: Type.Array(Type.String()),
  commands: Type.Record(Type.String(), Type.Array(Type.String())),
  /** The website. Missing until an administrator changes it. */
  staticGen: Type.Optional(StaticGen),
  /** How long records of the audit log stay. Missing until an administrator changes it. */
  audit: Type.Optional(AuditSettings),
  /** Trash and versions. Missing until an administrator changes it. */
  keeping: Type.Optional(KeepingSettings),
  /** What users may share. Missing until an administrator changes it. */
  sharing: Type.Optional(SharingPolicy),
  /** How e-mails are sent; the password is in `credentials`. Missing until an administrator changes it. */
  mail: Type.Optional(MailSettings),
})
export type SettingsRecord = Static<typeof SettingsRecord>

/** Identifies a file or folder: another one that later has the same path is not shared. */
const Thing = Type.Object({ dev: Type.Number(), ino: Type.Number(), birth: Type.Number() })
/** The id of an item in the trash, and the path of an entry in it; empty: the item itself. */
const Trashed = Type.Object({ item: Type.String(), rest: Type.String() })

/**
 * A share of a file or folder, for visitors without an account (contract/README.md#shares). Times are in seconds since
 * 1970.
 */
export const ShareRecord = Type.Object({
  /**
   * Random. At least 128 bits (22 characters) for shares of Coffer, 48 bits (8 characters) for imported shares of File
   * Browser. With a thousand of these, one address finds one in about 90 years (`--request-rate`).
   */
  hash: Type.String({ minLength: 8 }),
  userID: Type.Integer({ minimum: 1 }),
  /** What visitors may do. Missing: download. */
  rights: Type.Optional(Type.Enum([...shareRights])),
  /** Missing: there are none. */
  conditions: Type.Optional(ShareConditions),
  /** Path in the owner's scope, with symbolic links resolved. Updated when the resource is renamed. */
  path: Type.String(),
  /** 0: never expires. */
  expire: Type.Integer({ minimum: 0 }),
  created: Type.Integer(),
  /** argon2id hash, or the bcrypt hash of an imported share until a visitor enters the password. Empty: none required. */
  password: Type.String(),
  thing: Thing,
  /** Whether a folder is shared. Missing: not known; the share is older. */
  isFolder: Type.Optional(Type.Boolean()),
  /** Several shared resources. `path` is their common folder, and `thing` the first of them. Missing: `path` is shared. */
  items: Type.Optional(
    Type.Array(Type.Object({ path: Type.String(), thing: Thing, trashed: Type.Optional(Trashed) })),
  ),
  /** The ids of the only users who can open it. Missing: everybody can. */
  people: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }))),
  /** A picture in the scope of the owner. */
  cover: Type.Optional(Type.Object({ path: Type.String(), thing: Thing })),
  /**
   * While the shared entry is in the trash: the id of the item, and the path of the entry in it, empty for the item
   * itself. Visitors cannot use the share then. It works again when the item is restored.
   */
  trashed: Type.Optional(Trashed),
})
export type ShareRecord = Static<typeof ShareRecord>

/** The whole state file. */
export const State = Type.Object({
  version: Type.Literal(6),
  /** Ids are never reused, so that a new user never inherits anything of a deleted one. */
  nextUserId: Type.Integer({ minimum: 1 }),
  users: Type.Record(Type.String(), UserRecord),
  credentials: Type.Object({
    /** The key of tokens and tickets: base64 of 64 random bytes. */
    signingKey: Type.String({ minLength: 43 }),
    /** Hashes by user id: argon2id, or bcrypt of imported users until their next sign-in. */
    passwords: Type.Record(Type.String(), Type.String()),
    /** The password of the mail server. Missing: there is none. */
    mailPassword: Type.Optional(Type.String()),
  }),
  settings: SettingsRecord,
  shares: Type.Record(Type.String(), ShareRecord),
  /** The id of the first administrator and the hash of the generated password, until that password has been printed. */
  unprinted: Type.Optional(Type.Object({ id: Type.Integer(), hash: Type.String() })),
  /** The id of a restore of a backup, until what does not belong to the state is restored too: sessions, branding. */
  restoring: Type.Optional(Type.String()),
})
export type State = Static<typeof State>

/** A start checks the state once. For a state of few records it is faster not to compile the schema. */
const fewRecords = 100
let hasChecked = false

function isState(value: unknown): value is State {
  // Not checked yet: anything may be in it.
  const { users, shares } = (value ?? {}) as Partial<State>
  const records = Object.keys(users ?? {}).length + Object.keys(shares ?? {}).length
  const isFirst = !hasChecked
  hasChecked = true
  return isFirst && records <= fewRecords ? Check(State, value) : validatorOf(State).Check(value)
}

/**
 * Returns the first error of a state, such as `/users/1/perm: must be object`. Undefined for a valid state of the
 * current version.
 */
export function stateFault(value: unknown): string | undefined {
  if (!isState(value)) return firstError(validatorOf(State).Errors(value))
  for (const [key, { id }] of Object.entries(value.users)) {
    if (key !== String(id)) return `/users/${key}/id: differs from the key of the record`
  }
  for (const [key, { hash }] of Object.entries(value.shares)) {
    if (key !== hash) return `/shares/${key}/hash: differs from the key of the record`
  }
  return undefined
}

/** Returns the error of the user under this key, such as `/perm: must be object`. Undefined for a valid user. */
export function userFault(key: string, value: unknown): string | undefined {
  const validator = validatorOf(UserRecord)
  if (!validator.Check(value)) return firstError(validator.Errors(value))
  return key === String(value.id) ? undefined : '/id: differs from the key of the record'
}

/** Returns the error of the share under this key, such as `/expire: must be integer`. Undefined for a valid share. */
export function shareFault(key: string, value: unknown): string | undefined {
  const validator = validatorOf(ShareRecord)
  if (!validator.Check(value)) return firstError(validator.Errors(value))
  return key === value.hash ? undefined : '/hash: differs from the key of the record'
}

function firstError([first]: { instancePath: string; message: string }[]): string {
  return `${first?.instancePath || '/'}: ${first?.message ?? 'is damaged'}`
}
