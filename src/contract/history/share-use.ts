import Type, { type Static } from 'typebox'
import type { Address, Endpoint } from '../schema/endpoint.ts'
import { Shape } from '../schema/shape.ts'

/** How a share was used. */
export const ShareUse = Shape({
  downloads: Type.Integer(),
  /** Networks from which it was visited; counted when `maxVisitors` is set. */
  visitors: Type.Integer(),
  visits: Type.Integer(),
  /** Received files, and their bytes. */
  files: Type.Integer(),
  bytes: Type.Integer(),
  /** RFC 3339: the last visit. Missing: there was none. */
  last: Type.Optional(Type.String()),
})
export type ShareUse = Static<typeof ShareUse>

/** Something that happened at a share, as its owner sees it. */
const ShareLogEntry = Shape({
  /** The number of the record in the audit log. */
  seq: Type.Integer(),
  /** RFC 3339. */
  time: Type.String(),
  kind: Type.Enum(['visit', 'download', 'received']),
  /** The address of the visitor; empty: many visitors. */
  address: Type.String(),
  /** The path in the share; `/`: the shared entry itself. */
  path: Type.String(),
  /** Bytes that were sent, or received. */
  bytes: Type.Integer(),
  /** Whether everything was sent. */
  isWhole: Type.Boolean(),
  /** How often it has happened, if many equal events are one entry. */
  count: Type.Integer(),
  /** The name that the visitor gave. Missing: none. */
  sender: Type.Optional(Type.String()),
})
export type ShareLogEntry = Static<typeof ShareLogEntry>

export const ShareLog = Shape({
  /** The newest first. */
  entries: Type.Array(ShareLogEntry),
  /** Pass this as `before` for the next page; missing: this is the last page. */
  next: Type.Optional(Type.Integer()),
})
export type ShareLog = Static<typeof ShareLog>

/** How a share was used on a day. */
const ShareDay = Shape({
  /** In UTC, such as `2026-01-31`. */
  day: Type.String(),
  visits: Type.Integer(),
  downloads: Type.Integer(),
  /** Received files, and their bytes. */
  files: Type.Integer(),
  bytes: Type.Integer(),
})
export type ShareDay = Static<typeof ShareDay>

const ShareParams = Shape({ hash: Type.String({ minLength: 1, maxLength: 64 }) })

export const shareUse = {
  'GET /api/shares/:hash/log': {
    access: 'signed-in',
    summary: 'List visits, downloads and received files of one of your shares, the newest first',
    params: ShareParams,
    query: Shape({
      before: Type.Optional(Type.Integer({ minimum: 1 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    }),
    reply: ShareLog,
  },
  'GET /api/shares/:hash/days': {
    access: 'signed-in',
    summary: 'Get how one of your shares was used on each of the last 90 days, the oldest first',
    params: ShareParams,
    reply: Type.Array(ShareDay),
  },
} satisfies Record<Address, Endpoint>
