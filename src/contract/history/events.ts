import Type, { type Static } from 'typebox'
import type { Address, Endpoint } from '../schema/endpoint.ts'
import { bodySizes } from '../schema/endpoint.ts'
import { Shape } from '../schema/shape.ts'

/** Maximum number of folders that one connection shows. */
export const maxShownFolders = 32

/** The data of the event `change`: entries of a folder have changed. */
export const ChangeEvent = Shape({
  /** The folder, relative to the scope, without a slash at the end. */
  folder: Type.String(),
  /** The names that have changed; missing: too many, or unknown. */
  names: Type.Optional(Type.Array(Type.String())),
})
export type ChangeEvent = Static<typeof ChangeEvent>

/**
 * The data of the event `lost`: events were dropped. Everything in this folder and below it may have changed, and the
 * trash.
 */
export const LostEvent = Shape({ folder: Type.String() })
export type LostEvent = Static<typeof LostEvent>

/**
 * The data of the event `trash`: entries that the user may see were moved to the trash or have left it. Read the list of
 * the trash again.
 */
export const TrashEvent = Shape({})
export type TrashEvent = Static<typeof TrashEvent>

/**
 * The data of the event `notice`: the notices of the user have changed (`GET /api/notices`). `unread`: how many are not
 * read.
 */
export const NoticeEvent = Shape({ unread: Type.Integer() })
export type NoticeEvent = Static<typeof NoticeEvent>

/** The data of the first event, `hello`: the id of the connection. */
export const HelloEvent = Shape({ id: Type.String() })
export type HelloEvent = Static<typeof HelloEvent>

/** A shown folder; also the data of the event `watch`, which is sent when `isWatched` has changed. */
export const ShownFolder = Shape({
  /** Relative to the scope, without a slash at the end. */
  folder: Type.String(),
  /**
   * Whether changes that other programs make are noticed. If not (a network disk, a limit is reached, the folder is
   * missing), read the folder again every 30 seconds.
   */
  isWatched: Type.Boolean(),
  /**
   * RFC 3339: when the folder was changed last, as in its listing. If the listing has another time, read it again.
   * Missing: the folder cannot be read.
   */
  modified: Type.Optional(Type.String()),
})
export type ShownFolder = Static<typeof ShownFolder>

export const events = {
  'GET /api/events': {
    access: 'signed-in',
    /** Server-sent events: `hello`, then `change`, `trash`, `notice`, `lost` and `watch`. A comment every 20 seconds. */
    summary: 'Receive what changes, as server-sent events',
  },
  'PUT /api/events/:id': {
    access: 'signed-in',
    summary: 'Set the folders that a connection shows, to receive changes that other programs make in them',
    changesNothing: true,
    params: Shape({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
    maxBodyBytes: bodySizes.large,
    body: Shape({
      /** Paths relative to the scope. */
      folders: Type.Array(Type.String({ minLength: 1, maxLength: 4096 * 6 }), { maxItems: maxShownFolders }),
    }),
    reply: Type.Array(ShownFolder),
  },
} satisfies Record<Address, Endpoint>
