import Type, { type Static } from 'typebox'
import { currentPassword } from './schema/current-password.ts'
import { type Address, bodySizes, type Endpoint } from './schema/endpoint.ts'
import { PartialShape, Shape } from './schema/shape.ts'

/** The permissions of a user. `admin` implies all others. */
export const Permissions = Shape({
  admin: Type.Boolean(),
  execute: Type.Boolean(),
  create: Type.Boolean(),
  rename: Type.Boolean(),
  modify: Type.Boolean(),
  delete: Type.Boolean(),
  share: Type.Boolean(),
  download: Type.Boolean(),
  /** Publishing the site, with `--staticgen`. Missing means false. */
  publish: Type.Optional(Type.Boolean()),
})
export type Permissions = Static<typeof Permissions>

/** For names, `asc: false` means A to Z (contract/compatibility.md#sorting). */
export const Sorting = Shape({ by: Type.Enum(['name', 'size', 'modified']), asc: Type.Boolean() })
export type Sorting = Static<typeof Sorting>

/**
 * An order by metadata, which the page makes itself, instead of `sorting`. An empty `by` means the order of `sorting`:
 * older clients know only that.
 */
export const MetadataOrder = Shape({
  by: Type.Enum(['', 'taken', 'dimensions', 'owner']),
  asc: Type.Boolean(),
})

/** A column of the list besides the name. */
const Column = Type.Enum(['size', 'kind', 'modified', 'taken', 'dimensions', 'owner'])

/** The columns of the list besides the name, in any order. */
const Columns = Type.Array(Column, { maxItems: 6 })

/** How the page shows one folder to a user. A missing part is as in all folders. */
export const FolderView = PartialShape({
  viewMode: Type.Enum(['list', 'mosaic', 'mosaic gallery']),
  sorting: Sorting,
  metadataOrder: MetadataOrder,
  columns: Columns,
})
export type FolderView = Static<typeof FolderView>

/** The number of folders whose view is remembered for a user. */
export const maxFolderViews = 200

/** One allow or deny rule; the last match wins (contract/README.md#resources). `regexp.raw` is RE2. */
export const Rule = Shape({
  allow: Type.Boolean(),
  path: Type.String({ maxLength: 4096 }),
  regex: Type.Boolean(),
  regexp: Type.Union([Shape({ raw: Type.String({ maxLength: 1000 }) }), Type.Null()]),
})
export type Rule = Static<typeof Rule>

/** How the page shows files to a user, which users may change themselves (contract/README.md#users-and-settings). */
export const Preferences = Shape({
  /**
   * Empty: the browser's language. Clients of File Browser may send a language that Coffer does not have. It is kept as it
   * is sent, and the page uses the nearest one (contract/README.md#users-and-settings).
   */
  locale: Type.String({ maxLength: 11, pattern: '^([A-Za-z]{2}([_-][A-Za-z0-9]{2,8})?)?$' }),
  viewMode: Type.Enum(['list', 'mosaic', 'mosaic gallery']),
  sorting: Sorting,
  singleClick: Type.Boolean(),
  hideDotfiles: Type.Boolean(),
  dateFormat: Type.Boolean(),
  /** The editor's colour theme; empty: the theme of the page. */
  aceEditorTheme: Type.String({ maxLength: 64, pattern: '^[\\w./ -]*$' }),
  /** Whether the page opens the folder to which items were moved or copied, or a new folder. */
  redirectAfterCopyMove: Type.Boolean(),
  /** Empty: the theme of the instance; `auto`: follows the device. */
  theme: Type.Enum(['', 'light', 'dark', 'auto']),
  /** The height of rows. Missing means comfortable. */
  density: Type.Optional(Type.Enum(['comfortable', 'compact'])),
  /** Sizes in units of 1024 or 1000 bytes. Missing means binary: 1024. */
  sizeUnit: Type.Optional(Type.Enum(['binary', 'decimal'])),
  /** How dates are written. Missing or empty: as in the language; `iso`: as in 2026-06-15 12:00. */
  dateStyle: Type.Optional(Type.Enum(['', 'iso'])),
  /** The first day of the week. Missing or empty: as in the language. */
  firstDay: Type.Optional(Type.Enum(['', 'monday', 'saturday', 'sunday'])),
  /** The columns of the list. Missing means size and modified. */
  columns: Type.Optional(Columns),
  /** An order by metadata. Missing means the order of `sorting`. */
  metadataOrder: Type.Optional(MetadataOrder),
  /** Whether a change of view or order holds only for the shown folder (`folderViews`). Missing means true. */
  rememberViews: Type.Optional(Type.Boolean()),
  /** Whether the page asks before it moves items to the trash. Missing means false. */
  askBeforeTrash: Type.Optional(Type.Boolean()),
})
export type Preferences = Static<typeof Preferences>

/** The `user` object inside a token (contract/compatibility.md#tokens) plus `username`. */
export const TokenUser = Shape({
  id: Type.Integer(),
  username: Type.String(),
  perm: Permissions,
  commands: Type.Array(Type.String()),
  lockPassword: Type.Boolean(),
  /** Whether the user must choose a new password first (contract/README.md#first-password). Missing means false. */
  mustChangePassword: Type.Optional(Type.Boolean()),
  ...Preferences.properties,
})
export type TokenUser = Static<typeof TokenUser>

/** Remembered views by the path of the folder, without a closing slash. */
export const FolderViews = Type.Record(Type.String(), FolderView)
export type FolderViews = Static<typeof FolderViews>

/** A user as sent in responses: the password is always empty (contract/compatibility.md#users). */
export const UserView = Shape({
  ...TokenUser.properties,
  password: Type.Literal(''),
  scope: Type.String(),
  rules: Type.Array(Rule),
  /** Only in the response about one user, and not in the token, because it may be large. */
  folderViews: Type.Optional(FolderViews),
})
export type UserView = Static<typeof UserView>

export const IdParams = Shape({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) })

/** A rule as clients send it. A missing key means false or empty (contract/compatibility.md#conventions). */
const GivenRule = PartialShape({
  ...Rule.properties,
  regexp: Type.Union([PartialShape({ raw: Type.String({ maxLength: 1000 }) }), Type.Null()]),
})

/** Rules as clients send them. Some send null for none. */
export const RulesInput = Type.Union([Type.Array(GivenRule, { maxItems: 1000 }), Type.Null()])
export type RulesInput = Static<typeof RulesInput>

/** Program names as clients send them. Some send null for none. */
export const CommandsInput = Type.Union([
  Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1000 }),
  Type.Null(),
])

/**
 * Preferences as clients send them. An empty view mode, or an empty or partial sorting, means the default
 * (contract/compatibility.md#conventions, contract/compatibility.md#users).
 */
export const PreferencesInput = Shape({
  ...PartialShape(Preferences.properties).properties,
  viewMode: Type.Optional(Type.Enum(['', 'list', 'mosaic', 'mosaic gallery'])),
  sorting: Type.Optional(
    PartialShape({ ...Sorting.properties, by: Type.Enum(['', 'name', 'size', 'modified']) }),
  ),
})
export type PreferencesInput = Static<typeof PreferencesInput>

/** A user as clients send it. An empty password means no change. */
export const UserInput = Shape({
  username: Type.Optional(Type.String({ maxLength: 256 })),
  password: Type.Optional(Type.String({ maxLength: 1024 })),
  /** Empty: the whole served folder, or a home folder if the instance creates these. */
  scope: Type.Optional(Type.String({ maxLength: 4096 })),
  lockPassword: Type.Optional(Type.Boolean()),
  /** Missing permissions are false. */
  perm: Type.Optional(PartialShape(Permissions.properties)),
  commands: Type.Optional(CommandsInput),
  rules: Type.Optional(RulesInput),
  /**
   * Parts of views to change, by the path of the folder. `null` forgets a view. The views of the 200 folders that were
   * changed last are kept.
   */
  folderViews: Type.Optional(
    Type.Record(Type.String({ maxLength: 4096, pattern: '^/' }), Type.Union([FolderView, Type.Null()]), {
      maxProperties: maxFolderViews,
    }),
  ),
  ...PreferencesInput.properties,
})
export type UserInput = Static<typeof UserInput>

/** The body of a request that needs only a proof; it may be missing. */
export const ProofBody = Type.Union([Shape({ current_password: currentPassword }), Type.Null()])

export const users = {
  'GET /api/users': {
    access: 'admin',
    summary: 'List all users, by id',
    reply: Type.Array(UserView),
  },
  'POST /api/users': {
    changes: 'users',
    records: 'always',
    access: 'admin',
    proof: 'always',
    summary: 'Create a user; missing fields get the default settings',
    maxBodyBytes: bodySizes.large,
    body: Shape({
      what: Type.Literal('user'),
      which: Type.Optional(Type.Union([Type.Array(Type.String(), { maxItems: 0 }), Type.Null()])),
      current_password: currentPassword,
      data: Shape({ ...UserInput.properties, username: Type.String({ maxLength: 256 }) }),
    }),
  },
  'GET /api/users/:id': {
    access: 'self',
    beforeNewPassword: true,
    summary: 'Get a user: yourself, or any user for an administrator',
    params: IdParams,
    reply: UserView,
  },
  'PUT /api/users/:id': {
    changes: 'users',
    records: 'always',
    access: 'self',
    beforeNewPassword: true,
    proof: 'unless-own-preferences',
    summary:
      'Change the fields of a user that `which` names, or with `all` every given field. Administrators can change all ' +
      'fields of all users; other users only their own password, locale and preferences',
    params: IdParams,
    maxBodyBytes: bodySizes.large,
    body: Shape({
      what: Type.Literal('user'),
      /** Missing: all given fields. */
      which: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 32 })),
      current_password: currentPassword,
      data: Shape({ id: Type.Integer(), ...UserInput.properties }),
    }),
  },
  'DELETE /api/users/:id': {
    changes: 'users',
    records: 'always',
    access: 'self',
    proof: 'always',
    summary: 'Delete a user, but not the files: yourself, or any user for an administrator',
    params: IdParams,
    maxBodyBytes: bodySizes.small,
    body: ProofBody,
  },
} satisfies Record<Address, Endpoint>
