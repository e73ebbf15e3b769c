import Type, { type Static } from 'typebox'
import { type Address, bodySizes, type Endpoint } from '../schema/endpoint.ts'
import { Shape } from '../schema/shape.ts'

/** The channels of notices about a share. */
export const noticeChannels = ['page', 'mail', 'webhook'] as const
export type NoticeChannel = (typeof noticeChannels)[number]

/** Maximum number of notices of one user, and the days for which they are kept. */
export const maxNotices = 500
export const noticeDays = 90

/** A notice. Fields that do not belong to its kind are missing. */
export const Notice = Shape({
  id: Type.Integer(),
  /** RFC 3339. */
  time: Type.String(),
  /**
   * `visit`: the first visit of a share. `received`: visitors have sent files. `limit`: a limit is reached. `ending`: the
   * share ends soon. `scan`: a received file was refused. `webhook`: your webhook was turned off.
   */
  kind: Type.Enum(['visit', 'received', 'limit', 'ending', 'scan', 'webhook']),
  isRead: Type.Boolean(),
  /** The title of the share, else the name of what is shared. For `webhook` the host of the address. */
  title: Type.String(),
  /** The id of the share, which may be gone. */
  share: Type.Optional(Type.String()),
  /** Path from the scope: what is shared, or the folder with the received files. */
  path: Type.Optional(Type.String()),
  /** Number of received files, and their bytes. */
  count: Type.Optional(Type.Integer()),
  bytes: Type.Optional(Type.Integer()),
  /** The names of the first received files, at most five. */
  names: Type.Optional(Type.Array(Type.String())),
  /** The name that the visitor gave. It is not verified. */
  sender: Type.Optional(Type.String()),
  /** The limit that was reached. */
  limit: Type.Optional(Type.Enum(['downloads', 'visitors', 'files', 'bytes'])),
  /** RFC 3339: when the share ends. */
  ends: Type.Optional(Type.String()),
  /** Why the webhook was turned off: it answered 410, or no delivery succeeded for about three days. */
  reason: Type.Optional(Type.Enum(['gone', 'failed'])),
})
export type Notice = Static<typeof Notice>

export const NoticePage = Shape({
  /** The newest first. */
  items: Type.Array(Notice),
  /** Number of all unread notices. */
  unread: Type.Integer(),
  /** `before` of the next page. Missing: there is none. */
  next: Type.Optional(Type.Integer()),
})
export type NoticePage = Static<typeof NoticePage>

/** Where a user gets notices, besides the page. */
export const NoticeSettings = Shape({
  /** Whether the instance can send e-mails. */
  canMail: Type.Boolean(),
  /** The confirmed address, to which notices are sent. Missing: none. */
  address: Type.Optional(Type.String()),
  /** An address to which a code was sent, until it is confirmed. Missing: none. */
  unconfirmed: Type.Optional(Type.String()),
})
export type NoticeSettings = Static<typeof NoticeSettings>

export const notices = {
  'GET /api/notices': {
    access: 'signed-in',
    summary: 'List your notices, the newest first',
    query: Shape({
      before: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    }),
    reply: NoticePage,
  },
  'POST /api/notices/read': {
    access: 'signed-in',
    changesNothing: true,
    summary: 'Mark your notices as read, up to one of them',
    maxBodyBytes: bodySizes.small,
    body: Shape({ upTo: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }),
  },
  'DELETE /api/notices': {
    access: 'signed-in',
    changesNothing: true,
    summary: 'Delete all your notices',
  },
  'GET /api/notices/settings': {
    access: 'signed-in',
    summary: 'Get the address to which your notices are sent by e-mail',
    reply: NoticeSettings,
  },
  'PUT /api/notices/settings': {
    access: 'signed-in',
    changes: 'users',
    records: 'always',
    summary: 'Send a code to a new address for your notices, or remove your address',
    maxBodyBytes: bodySizes.small,
    body: Shape({
      /** Empty: removes the address, also an unconfirmed one. */
      address: Type.String({ maxLength: 254 }),
    }),
    reply: NoticeSettings,
  },
  'POST /api/notices/settings/confirm': {
    access: 'signed-in',
    changes: 'users',
    records: 'always',
    summary: 'Confirm your address with the code that was sent to it',
    maxBodyBytes: bodySizes.small,
    body: Shape({ code: Type.String({ minLength: 1, maxLength: 32 }) }),
    reply: NoticeSettings,
  },
} satisfies Record<Address, Endpoint>
