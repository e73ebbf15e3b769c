import Type, { type Static, type TSchema } from 'typebox'
import { ShareUse } from './history/share-use.ts'
import { type Address, bodySizes, type Endpoint } from './schema/endpoint.ts'
import { PathParams } from './schema/resource-path.ts'
import { PartialShape, Shape } from './schema/shape.ts'

/** What visitors of a share may do (contract/README.md#rights-of-a-share). */
export const shareRights = ['view', 'download', 'upload', 'upload-view', 'edit'] as const
export type ShareRights = (typeof shareRights)[number]
const Rights = Type.Enum([...shareRights])

const Count = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** The conditions of a share. Missing: there is no such condition. */
const conditions = {
  /** RFC 3339. Before this time, the share does not exist for visitors. */
  starts: Type.String({ maxLength: 64 }),
  maxDownloads: Count,
  /** Networks from which it may be visited. */
  maxVisitors: Type.Integer({ minimum: 1, maximum: 10_000 }),
  /** Number of received files. */
  maxFiles: Count,
  /** Bytes of one received file, and of all of them. */
  maxFileSize: Count,
  maxBytes: Count,
  /** Extensions such as `.pdf`, or media types such as `image/*`, of received files. */
  types: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 }),
  /** The name in the address, instead of the id. */
  slug: Type.String({ minLength: 3, maxLength: 64 }),
  title: Type.String({ maxLength: 200 }),
  message: Type.String({ maxLength: 2000 }),
  /** Visitors give a name. What they upload goes to a folder with this name. */
  askName: Type.Boolean(),
  /** True: visitors cannot open it. */
  paused: Type.Boolean(),
  /** Bytes a second, sent and received, for all visitors together. A lower rate would break connections. */
  rate: Type.Integer({ minimum: 16_384, maximum: Number.MAX_SAFE_INTEGER }),
  /** The name of the sender, as visitors see it. */
  from: Type.String({ maxLength: 100 }),
  /** How the page of the share looks. Missing values: as the visitor prefers. */
  look: PartialShape({
    view: Type.Enum(['list', 'mosaic', 'gallery']),
    theme: Type.Enum(['light', 'dark']),
  }),
  /** How its owner is notified about visitors. Missing: only on the page. Empty: not at all. */
  notify: Type.Array(Type.Enum(['page', 'mail', 'webhook']), { maxItems: 3 }),
}
export const ShareConditions = PartialShape(conditions)
export type ShareConditions = Static<typeof ShareConditions>

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** The conditions in a request. `null` clears one. */
const GivenConditions = Shape({
  starts: orNull(conditions.starts),
  maxDownloads: orNull(conditions.maxDownloads),
  maxVisitors: orNull(conditions.maxVisitors),
  maxFiles: orNull(conditions.maxFiles),
  maxFileSize: orNull(conditions.maxFileSize),
  maxBytes: orNull(conditions.maxBytes),
  types: orNull(conditions.types),
  slug: orNull(conditions.slug),
  title: orNull(conditions.title),
  message: orNull(conditions.message),
  askName: orNull(conditions.askName),
  paused: orNull(conditions.paused),
  rate: orNull(conditions.rate),
  from: orNull(conditions.from),
  look: orNull(conditions.look),
  notify: orNull(conditions.notify),
})
export type GivenConditions = Static<typeof GivenConditions>

/** What a request gives besides the conditions. It names accounts and files, which are checked. `null` clears it. */
const GivenReferences = Shape({
  /** Names of accounts. Only they can open the share, when they are signed in. */
  people: orNull(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: 100 })),
  /** Path of a picture in the scope of the owner. A smaller copy is shown at the top of the page. */
  cover: orNull(Type.String({ minLength: 1, maxLength: 65_536 })),
})
export type GivenReferences = Static<typeof GivenReferences>

/** What the administrator allows for new and changed shares (contract/README.md#policy-of-shares). */
export const SharingPolicy = Shape({
  /** Every share needs a password, unless it is for named people. */
  password: Type.Boolean(),
  /** Longest life of a share in days; 0: unlimited. */
  longest: Type.Integer({ minimum: 0, maximum: 36_500 }),
  /** Whether shares may receive files. Also holds for shares that exist. */
  uploads: Type.Boolean(),
  /** Who may share: users with the permission, or only administrators. Also holds for shares that exist. */
  who: Type.Enum(['permitted', 'administrators']),
})
export type SharingPolicy = Static<typeof SharingPolicy>

/** A share as its owner sees it. Times are seconds since 1970; `expire` 0 means never (contract/README.md#shares). */
export const ShareView = Shape({
  ...ShareConditions.properties,
  rights: Rights,
  used: ShareUse,
  hash: Type.String(),
  path: Type.String(),
  userID: Type.Integer(),
  expire: Type.Integer(),
  created: Type.Integer(),
  hasPassword: Type.Boolean(),
  /** Whether a folder, or several resources, are shared. Missing: not known. */
  isDir: Type.Optional(Type.Boolean()),
  /** The shared resources in the folder `path`. Missing: `path` itself is shared. */
  paths: Type.Optional(Type.Array(Type.String())),
  people: Type.Optional(Type.Array(Type.String())),
  cover: Type.Optional(Type.String()),
})
export type ShareView = Static<typeof ShareView>

/** Data about a share for its visitors. Only for shares with conditions, or with other rights than `download`. */
export const ShareOffer = Shape({
  rights: Rights,
  title: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  askName: Type.Optional(Type.Boolean()),
  types: Type.Optional(conditions.types),
  /** Bytes that one more file may have. Missing: unlimited. */
  maxFileSize: Type.Optional(Type.Integer()),
  /** Number of files that may still be sent. Missing: unlimited. */
  filesLeft: Type.Optional(Type.Integer()),
  /** RFC 3339. Missing: it does not end. */
  ends: Type.Optional(Type.String()),
  from: Type.Optional(conditions.from),
  look: Type.Optional(conditions.look),
  /** Whether `GET /api/public/cover/{id}` has a picture. Missing: it has none. */
  hasCover: Type.Optional(Type.Boolean()),
  /** Number of downloads that are left. Missing: unlimited. */
  downloadsLeft: Type.Optional(Type.Integer()),
})
export type ShareOffer = Static<typeof ShareOffer>

/** A file that was received. */
export const Received = Shape({
  /** Where it is in the share; the name has a number if the name was taken. */
  path: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  /** Only with the status 202: it is not visible before a virus scanner has examined it. */
  held: Type.Optional(Type.Boolean()),
})
export type Received = Static<typeof Received>

/** Units of `expires`. A missing or empty unit means hours (contract/compatibility.md#share-links). */
export const expiryUnits = ['seconds', 'minutes', 'hours', 'days'] as const
export type ExpiryUnit = (typeof expiryUnits)[number]

// Clients send a number, the number as text, or nothing.
const Expires = Type.Optional(Type.Union([Type.String({ maxLength: 16 }), Type.Integer()]))
const Password = Type.Optional(Type.String({ maxLength: 1024 }))
const Unit = Type.Optional(Type.Enum(['', ...expiryUnits]))

export const shares = {
  'GET /api/shares': {
    access: 'signed-in',
    summary: 'List your shares; for an administrator, the shares of all users',
    reply: Type.Array(ShareView),
  },
  'GET /api/share/*': {
    access: 'signed-in',
    summary: 'List the shares of one file or folder',
    params: PathParams,
    reply: Type.Array(ShareView),
  },
  'POST /api/share/*': {
    changes: 'share',
    records: 'always',
    access: 'signed-in',
    summary: 'Create a share; without `expires` it is permanent. The body takes precedence over the query',
    params: PathParams,
    query: Shape({ password: Password, expires: Type.Optional(Type.String({ maxLength: 16 })), unit: Unit }),
    maxBodyBytes: bodySizes.small,
    body: Type.Union([
      Shape({
        password: Password,
        expires: Expires,
        unit: Unit,
        rights: Type.Optional(Rights),
        /** Resources in the folder of the address. Only they are shared, for viewing or downloading. */
        paths: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 65_536 }), { minItems: 1, maxItems: 100 }),
        ),
        ...GivenConditions.properties,
        ...GivenReferences.properties,
      }),
      Type.Null(),
    ]),
    reply: ShareView,
  },
  'PATCH /api/share/*': {
    changes: 'share',
    records: 'always',
    access: 'signed-in',
    summary: 'Change a share. Its address stays. `null` clears a condition, the password or the expiry',
    params: PathParams,
    maxBodyBytes: bodySizes.small,
    body: Shape({
      password: Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()])),
      expires: Type.Optional(Type.Union([Type.String({ maxLength: 16 }), Type.Integer(), Type.Null()])),
      unit: Unit,
      rights: Type.Optional(Rights),
      ...GivenConditions.properties,
      ...GivenReferences.properties,
    }),
    reply: ShareView,
  },
  'DELETE /api/share/*': {
    changes: 'unshare',
    records: 'always',
    access: 'signed-in',
    summary: 'Delete the share with this id',
    params: PathParams,
  },
} satisfies Record<Address, Endpoint>
