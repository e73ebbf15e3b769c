import Type from 'typebox'
import { archiveAlgorithms, FileView, Listing, Selection, ShareToken } from './resources.ts'
import type { Address, Endpoint } from './schema/endpoint.ts'
import { PathParams } from './schema/resource-path.ts'
import { Shape } from './schema/shape.ts'
import { Received, ShareOffer } from './shares.ts'
import { Sorting } from './users.ts'

/** After the right password, `token` unlocks the share's downloads for an hour. */
const Unlocked = { token: Type.Optional(Type.String()), share: Type.Optional(ShareOffer) }

/** What visitors of shares call, without an account. */
export const visits = {
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
  'GET /api/public/cover/*': {
    access: 'public',
    summary: 'Get the cover picture of a share as WebP',
    params: PathParams,
    query: Shape({ token: ShareToken }),
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
  'POST /api/public/tus/*': {
    changes: 'upload',
    access: 'public',
    summary: 'Start an upload in pieces into a share',
    params: PathParams,
    query: Shape({ token: ShareToken }),
  },
  'GET /api/public/tus/*': {
    access: 'public',
    summary: 'Get the progress of an upload into a share',
    params: PathParams,
    query: Shape({ token: ShareToken }),
  },
  'PATCH /api/public/tus/*': {
    changes: 'upload',
    access: 'public',
    summary: 'Send a piece of an upload into a share',
    params: PathParams,
    query: Shape({ token: ShareToken }),
    hasRawBody: true,
  },
  'DELETE /api/public/tus/*': {
    changes: 'upload',
    access: 'public',
    summary: 'Cancel an upload into a share, and delete its received bytes',
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
