import Type, { type Static } from 'typebox'
import type { Address, Endpoint } from '../schema/endpoint.ts'
import { PathParams } from '../schema/resource-path.ts'
import { Shape } from '../schema/shape.ts'
import { ChangedPath } from './operations.ts'

/** A record of the audit log. It never contains contents, passwords or tokens. */
export const AuditRecord = Shape({
  /** The number of the record. Numbers grow by one. */
  seq: Type.Integer(),
  /** RFC 3339. */
  time: Type.String(),
  /**
   * A kind of operation, or an event: `open` (a visit of a link), `download`, `receive` (a file that a visitor has sent),
   * `login`, `visit` (a wrong password of a link), `confirm` (a wrong password of a signed-in user), `logout`, `command`,
   * `scan` (something was found in a received file), `refusal`, `start`, `stop`, `cut`, `verify`, `gap`.
   */
  kind: Type.String(),
  /** `done`, `failed`, `refused`, `interrupted`. */
  outcome: Type.String(),
  /** The name of the user at that time; empty: the request had no session; `command`: a command on the machine. */
  user: Type.String(),
  /** The address of the client; empty: the server itself or a command. */
  address: Type.String(),
  /** The id of the operation; missing: there is none. */
  operation: Type.Optional(Type.String()),
  /** Paths relative to the served folder, for administrators; to the scope, for activity. At most 20. */
  paths: Type.Array(ChangedPath),
  /** Number of all paths; of a refusal, a wrong password, a visit or a download, how often it has happened; of `verify` and `gap`, of records. */
  count: Type.Integer(),
  /** The code of the problem, what was changed, such as names of settings, or the line of a command; empty: nothing to add. */
  detail: Type.String(),
})
export type AuditRecord = Static<typeof AuditRecord>

export const AuditPage = Shape({
  /** The newest first. May be fewer than `limit`, even none, although there are more: then there is `next`. */
  records: Type.Array(AuditRecord),
  /** Pass this as `before` for the next page; missing: this is the last page. */
  next: Type.Optional(Type.Integer()),
})
export type AuditPage = Static<typeof AuditPage>

/** Which downloads are recorded: none, those through links with their visits, or also those of users. */
export const recordedDownloads = ['none', 'links', 'all'] as const
export type RecordedDownloads = (typeof recordedDownloads)[number]

/** How long records stay, and which there are, as settings of the instance. The oldest are removed first. */
export const AuditSettings = Shape({
  days: Type.Integer({ minimum: 1, maximum: 36500 }),
  /** Maximum size of all records, in MiB. */
  megabytes: Type.Integer({ minimum: 1, maximum: 1024 * 1024 }),
  /** Missing until it is changed: those of links. */
  downloads: Type.Optional(Type.Enum([...recordedDownloads])),
})
export type AuditSettings = Static<typeof AuditSettings>

const filters = {
  user: Type.Optional(Type.String({ maxLength: 256 })),
  /** A path relative to the served folder. Also matches everything below it. */
  path: Type.Optional(Type.String({ maxLength: 16384 })),
  kind: Type.Optional(Type.String({ maxLength: 32 })),
  address: Type.Optional(Type.String({ maxLength: 64 })),
  outcome: Type.Optional(Type.String({ maxLength: 32 })),
  /** RFC 3339. */
  from: Type.Optional(Type.String({ maxLength: 40 })),
  /** RFC 3339. */
  to: Type.Optional(Type.String({ maxLength: 40 })),
}

const paging = {
  before: Type.Optional(Type.Integer({ minimum: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
}

export const audit = {
  'GET /api/audit': {
    access: 'admin',
    summary: 'Get records of the audit log, the newest first',
    query: Shape({ ...filters, ...paging }),
    reply: AuditPage,
  },
  'GET /api/audit/export': {
    access: 'admin',
    ticket: 'raw',
    summary: 'Download records of the audit log as CSV or NDJSON, the oldest first',
    query: Shape({
      ...filters,
      format: Type.Enum(['csv', 'ndjson']),
      auth: Type.Optional(Type.String({ maxLength: 8192 })),
    }),
  },
  'GET /api/activity/*': {
    access: 'signed-in',
    summary: 'Get what was done to a file, or to a folder and its content, as far as the user may see it',
    params: PathParams,
    query: Shape(paging),
    reply: AuditPage,
  },
} satisfies Record<Address, Endpoint>
