import Type, { type Static } from 'typebox'
import { archiveAlgorithms, FileView, Listing, Selection, ShareToken } from './resources.ts'
import { type Address, bodySizes, type Endpoint } from './schema/endpoint.ts'
import { PathParams } from './schema/resource-path.ts'
import { Shape } from './schema/shape.ts'
import { Sorting } from './users.ts'

/** A share as its owner sees it. Times are seconds since 1970; `expire` 0 means never (contract/README.md#shares). */
export const ShareView = Shape({
  hash: Type.String(),
  path: Type.String(),
  userID: Type.Integer(),
  expire: Type.Integer(),
  created: Type.Integer(),
  hasPassword: Type.Boolean(),
})
export type ShareView = Static<typeof ShareView>

/** Units of `expires`. A missing or empty unit means hours (contract/compatibility.md#share-links). */
export const expiryUnits = ['seconds', 'minutes', 'hours', 'days'] as const
export type ExpiryUnit = (typeof expiryUnits)[number]

// Clients send a number, the number as text, or nothing.
const Expires = Type.Optional(Type.Union([Type.String({ maxLength: 16 }), Type.Integer()]))
const Password = Type.Optional(Type.String({ maxLength: 1024 }))
const Unit = Type.Optional(Type.Enum(['', ...expiryUnits]))

/** After the right password, `token` unlocks the share's downloads for an hour. */
const Unlocked = { token: Type.Optional(Type.String()) }

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
    body: Type.Union([Shape({ password: Password, expires: Expires, unit: Unit }), Type.Null()]),
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
