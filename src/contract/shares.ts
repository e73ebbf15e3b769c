import Type, { type Static, type TSchema } from 'typebox'
import { ShareUse } from './history/share-use.ts'
import { archiveAlgorithms, FileView, Listing, Selection, ShareToken } from './resources.ts'
import { type Address, bodySizes, type Endpoint } from './schema/endpoint.ts'
import { PathParams } from './schema/resource-path.ts'
import { PartialShape, Shape } from './schema/shape.ts'
import { Sorting } from './users.ts'

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
})
export type GivenConditions = Static<typeof GivenConditions>

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
})
export type ShareOffer = Static<typeof ShareOffer>

/** A file that was received. `path`: where it is in the share; the name has a number if the name was taken. */
export const Received = Shape({ path: Type.String(), size: Type.Integer(), sha256: Type.String() })
export type Received = Static<typeof Received>

/** Units of `expires`. A missing or empty unit means hours (contract/compatibility.md#share-links). */
export const expiryUnits = ['seconds', 'minutes', 'hours', 'days'] as const
export type ExpiryUnit = (typeof expiryUnits)[number]

// Clients send a number, the number as text, or nothing.
const Expires = Type.Optional(Type.Union([Type.String({ maxLength: 16 }), Type.Integer()]))
const Password = Type.Optional(Type.String({ maxLength: 1024 }))
const Unit = Type.Optional(Type.Enum(['', ...expiryUnits]))

/** After the right password, `token` unlocks the share's downloads for an hour. */
const Unlocked = { token: Type.Optional(Type.String()), share: Type.Optional(ShareOffer) }

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
        ...GivenConditions.properties,
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
  'GET /api/public/share/*': {
    access: 'public',
    summary: 'Get a shared resource: `{id}`, or `{id}/{path}` inside a shared folder',
    params: PathParams,
    query: Shape({
      token: ShareToken,
      /** The order of a folder's items; without it, by name. */
      by: Type.Optional(Sorting.properties.by),
      asc: Type.Optional(Type.Enum(['true', 'false'])),
    }),
    reply: Type.Union([
      Shape({ ...Listing.properties, ...Unlocked }),
      Shape({ ...FileView.properties, ...Unlocked }),
    ]),
  },
  'POST /api/public/resources/*': {
    changes: 'upload',
    access: 'public',
    summary: 'Upload a file into a share, or create a folder (trailing slash). A taken name gets a number',
    params: PathParams,
    query: Shape({ token: ShareToken }),
    hasRawBody: true,
    reply: Received,
  },
  'PUT /api/public/resources/*': {
    changes: 'save',
    access: 'public',
    summary: 'Save a file in a share that can be edited',
    params: PathParams,
    query: Shape({ token: ShareToken }),
    hasRawBody: true,
  },
  'PATCH /api/public/resources/*': {
    changes: 'move',
    access: 'public',
    summary: 'Rename or move an entry inside a share that can be edited',
    params: PathParams,
    query: Shape({ token: ShareToken, destination: Type.String({ minLength: 1, maxLength: 65_536 }) }),
  },
  'DELETE /api/public/resources/*': {
    changes: 'delete',
    access: 'public',
    summary: 'Delete an entry in a share that can be edited',
    params: PathParams,
    query: Shape({ token: ShareToken }),
  },
  'GET /api/public/dl/*': {
    access: 'public',
    summary: 'Download a shared file, or a shared folder or selection as an archive',
    params: PathParams,
    query: Shape({
      token: ShareToken,
      inline: Type.Optional(Type.String({ maxLength: 16 })),
      files: Type.Optional(Type.String({ maxLength: 1_000_000 })),
      selection: Selection,
      algo: Type.Optional(Type.Enum(['', 'true', ...archiveAlgorithms])),
    }),
  },
} satisfies Record<Address, Endpoint>
