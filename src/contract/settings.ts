import Type, { type Static } from 'typebox'
import { AuditSettings } from './history/audit.ts'
import { KeepingSettings } from './history/kept.ts'
import { StaticGen, StaticGenInput } from './publish.ts'
import { currentPassword } from './schema/current-password.ts'
import { type Address, bodySizes, type Endpoint } from './schema/endpoint.ts'
import { PartialShape, Shape } from './schema/shape.ts'
import { SharingPolicy } from './shares.ts'
import { CommandsInput, Permissions, Preferences, PreferencesInput, Rule, RulesInput } from './users.ts'

const Branding = Shape({
  /** Empty: the product's name. */
  name: Type.String({ maxLength: 200, pattern: '^[^\\0-\\x1f]*$' }),
  disableExternal: Type.Boolean(),
  disableUsedPercentage: Type.Boolean(),
  /** A folder of the host with `custom.css` and `img/`; empty: none. */
  files: Type.String({ maxLength: 4096, pattern: '^[^\\0]*$' }),
  /** Empty is light. */
  theme: Type.Enum(['', 'dark', 'light']),
  /** With an empty theme, each device uses its own preference: light or dark. */
  followDevice: Type.Boolean(),
  /** A CSS colour by name or in hexadecimal; empty: the product's colour. */
  color: Type.String({ pattern: '^(#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,32})?$' }),
})

const Tus = Shape({
  /** Bytes per chunk. */
  chunkSize: Type.Integer({ minimum: 64 * 1024, maximum: 1024 * 1024 * 1024 }),
  retryCount: Type.Integer({ minimum: 0, maximum: 100 }),
})

const Switches = {
  signup: Type.Boolean(),
  hideLoginButton: Type.Boolean(),
  createUserDir: Type.Boolean(),
  minimumPasswordLength: Type.Integer({ minimum: 1, maximum: 256 }),
  /** The folder in the served folder that contains the home folders. */
  userHomeBasePath: Type.String({ maxLength: 4096 }),
  /**
   * Permission bits of new files, as a number: 416 is 0640. The owner may always read and write
   * (contract/compatibility.md#settings).
   */
  fileMode: Type.Integer({ minimum: 0o600, maximum: 0o777 }),
  /** Permission bits of new folders: 488 is 0750. */
  dirMode: Type.Integer({ minimum: 0o700, maximum: 0o777 }),
}

/** The instance's settings (contract/compatibility.md#settings). */
export const SettingsView = Shape({
  ...Switches,
  /** How users sign in; set when the server starts. */
  authMethod: Type.Enum(['json', 'proxy', 'noauth']),
  defaults: Shape({
    scope: Type.String(),
    perm: Permissions,
    commands: Type.Array(Type.String()),
    ...Preferences.properties,
  }),
  rules: Type.Array(Rule),
  branding: Branding,
  tus: Tus,
  shell: Type.Array(Type.String()),
  commands: Type.Record(Type.String(), Type.Array(Type.String())),
  /** Missing without `--staticgen`. */
  staticGen: Type.Optional(StaticGen),
  /** How long records of the audit log stay. Missing until it is changed: a year, and 1024 MiB. */
  audit: Type.Optional(AuditSettings),
  /** Trash and versions. */
  keeping: KeepingSettings,
  sharing: SharingPolicy,
})
export type SettingsView = Static<typeof SettingsView>

const Lines = Type.Array(Type.String({ maxLength: 4096, pattern: '^[^\\0\\r\\n]*$' }), { maxItems: 100 })

/** Settings as clients send them. Missing settings stay, at any depth (contract/README.md#users-and-settings). */
export const SettingsFields = PartialShape({
  ...Switches,
  defaults: Shape({
    scope: Type.Optional(Type.String({ maxLength: 4096 })),
    perm: Type.Optional(PartialShape(Permissions.properties)),
    commands: Type.Optional(CommandsInput),
    ...PreferencesInput.properties,
  }),
  rules: RulesInput,
  staticGen: StaticGenInput,
  audit: PartialShape(AuditSettings.properties),
  branding: PartialShape(Branding.properties),
  tus: PartialShape(Tus.properties),
  keeping: PartialShape(KeepingSettings.properties),
  sharing: PartialShape(SharingPolicy.properties),
  /** The program that runs commands and its arguments; null and empty: none. */
  shell: Type.Union([Lines, Type.Null()]),
  /** Command lines by event; null: none. */
  commands: Type.Union([
    Type.Record(Type.String(), Type.Union([Lines, Type.Null()]), {
      maxProperties: 100,
      propertyNames: { pattern: '^[A-Za-z0-9_-]{1,64}$' },
    }),
    Type.Null(),
  ]),
})
export type SettingsInput = Static<typeof SettingsFields>

/** The body of a settings change, with the proof that it needs. */
export const SettingsChange = Shape({ ...SettingsFields.properties, current_password: currentPassword })

/** What is at a path that a user may get as scope. */
export const HomePlace = Shape({
  /** The path as it would be stored, from the served folder. */
  path: Type.String(),
  /** `missing`: it would be created. `other`: a file, or a file of Coffer itself, is in the way. */
  kind: Type.Enum(['folder', 'missing', 'other', 'outside']),
  /** The names of the folders in it, without those that are links. At most 1000. */
  folders: Type.Array(Type.String()),
  hasMore: Type.Boolean(),
})
export type HomePlace = Static<typeof HomePlace>

export const settings = {
  'GET /api/homes': {
    access: 'admin',
    summary: 'Get what is at a path of the served folder, to choose the scope of a user',
    query: Shape({ path: Type.String({ maxLength: 4096 }) }),
    reply: HomePlace,
  },
  'GET /api/settings': {
    access: 'admin',
    summary: 'Get the settings of the instance',
    reply: SettingsView,
  },
  'PUT /api/settings': {
    changes: 'settings',
    records: 'always',
    access: 'admin',
    proof: 'always',
    summary: 'Change the settings of the instance; missing keys keep their values',
    maxBodyBytes: bodySizes.large,
    body: SettingsChange,
  },
} satisfies Record<Address, Endpoint>
