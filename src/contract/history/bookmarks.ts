import Type, { type Static } from 'typebox'
import type { Address, Endpoint } from '../schema/endpoint.ts'
import { PathParams, resourceTypes } from '../schema/resource-path.ts'
import { Shape } from '../schema/shape.ts'

/** Maximum number of starred files and folders of one user. */
export const maxStarred = 500

/** Maximum number of entries in the list of recent files. */
export const maxRecent = 100

/** A starred file or folder, or a recent file. Users see only those that they may read now. */
export const Bookmark = Shape({
  name: Type.String(),
  /** Path from the scope, `/`-separated, not encoded. */
  path: Type.String(),
  isDir: Type.Boolean(),
  type: Type.Enum([...resourceTypes]),
  /** Whether it is still there. Another program may have moved or deleted it. */
  exists: Type.Boolean(),
  /** Bytes; 0 for what does not exist. */
  size: Type.Number(),
  /** RFC 3339; empty for what does not exist. */
  modified: Type.String(),
  /** RFC 3339: when it was starred, or last opened or changed by the user. */
  time: Type.String(),
  /** Only for a folder among the recent files: number of files that were uploaded into it at once, also below it. */
  files: Type.Optional(Type.Integer()),
})
export type Bookmark = Static<typeof Bookmark>

export const bookmarks = {
  'GET /api/starred': {
    access: 'signed-in',
    summary: 'Get the starred files and folders, the last starred first',
    reply: Type.Array(Bookmark),
  },
  'PUT /api/starred/*': {
    changesNothing: true,
    access: 'signed-in',
    summary: 'Add a file or folder to the starred ones',
    params: PathParams,
  },
  'DELETE /api/starred/*': {
    changesNothing: true,
    access: 'signed-in',
    summary: 'Remove a file or folder from the starred ones',
    params: PathParams,
  },
  'GET /api/recent': {
    access: 'signed-in',
    summary:
      'Get the files that the user has opened or changed last, the newest first; an upload of many files is one entry, their folder',
    reply: Type.Array(Bookmark),
  },
  'POST /api/recent/*': {
    changesNothing: true,
    access: 'signed-in',
    summary: 'Note that the user has opened a file',
    params: PathParams,
  },
  'DELETE /api/recent': {
    changesNothing: true,
    access: 'signed-in',
    summary: 'Clear the list of recent files',
  },
} satisfies Record<Address, Endpoint>
