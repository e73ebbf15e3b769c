import Type, { type Static } from 'typebox'
import type { Address, Endpoint } from '../schema/endpoint.ts'
import { PathParams, resourceTypes } from '../schema/resource-path.ts'
import { Shape } from '../schema/shape.ts'

/** An entry in the trash. Users see entries that were in their scope and that their rules allow. */
export const TrashItem = Shape({
  id: Type.String(),
  name: Type.String(),
  /** Where it was, relative to the scope of the reader. */
  path: Type.String(),
  isDir: Type.Boolean(),
  type: Type.Enum([...resourceTypes]),
  /** Bytes, of a folder with its content; null while it is being counted. */
  size: Type.Union([Type.Number(), Type.Null()]),
  /** RFC 3339: when it was deleted. */
  deleted: Type.String(),
  /** RFC 3339: when it was changed last. */
  modified: Type.String(),
  /** The name of the user who deleted it. Empty if that user was removed. */
  by: Type.String(),
})
export type TrashItem = Static<typeof TrashItem>

export const TrashList = Shape({
  /** The newest first. */
  items: Type.Array(TrashItem),
  /** Number of all entries that match. */
  total: Type.Integer(),
  /** Bytes of all entries that match, as far as they are counted. */
  size: Type.Number(),
  /** Pass this as `after` for the next page; missing: this is the last page. */
  next: Type.Optional(Type.String()),
})
export type TrashList = Static<typeof TrashList>

/** An old content of a file. */
export const Version = Shape({
  id: Type.String(),
  /** RFC 3339: when this content was replaced. */
  replaced: Type.String(),
  /** RFC 3339: the time of the last change of this content. */
  modified: Type.String(),
  size: Type.Number(),
  /** The name of the user who replaced it; empty: unknown. */
  by: Type.String(),
})
export type Version = Static<typeof Version>

/** What happens to entries of a folder that are deleted or replaced. */
export const Keeping = Shape({
  /** Whether deleted entries go to the trash. Otherwise deletion is permanent. */
  trash: Type.Boolean(),
  /** Whether replaced files stay as versions. */
  versions: Type.Boolean(),
  /** Whether the disk is full. Emptying the trash would help. */
  isFull: Type.Boolean(),
  /** How many days entries stay in the trash. */
  days: Type.Integer(),
})
export type Keeping = Static<typeof Keeping>

/** What is kept, as settings of the instance. */
export const KeepingSettings = Shape({
  /** Whether deleted entries go to the trash. */
  trash: Type.Boolean(),
  /** How many days entries stay in the trash, unless space is needed. */
  days: Type.Integer({ minimum: 1, maximum: 3650 }),
  /** Percentage of a disk that trash and versions may take together. */
  share: Type.Integer({ minimum: 0, maximum: 90 }),
  /** Percentage of a disk that trash and versions of one user may take. */
  userShare: Type.Integer({ minimum: 0, maximum: 90 }),
  /** Whether replaced files stay as versions. */
  versions: Type.Boolean(),
  /** Size in bytes of the largest file that gets versions; 0: no limit. */
  versionSize: Type.Integer({ minimum: 0 }),
  /** Folders without versions, relative to the served folder. */
  withoutVersions: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 100 }),
})
export type KeepingSettings = Static<typeof KeepingSettings>

const KeptParams = Shape({ id: Type.String({ minLength: 1, maxLength: 64 }) })
const KeptId = Type.String({ minLength: 1, maxLength: 64 })

export const kept = {
  'GET /api/keeping/*': {
    access: 'signed-in',
    summary: 'Get whether entries of a folder go to the trash and keep versions',
    params: PathParams,
    reply: Keeping,
  },
  'GET /api/trash': {
    access: 'signed-in',
    summary: 'Get the deleted entries, the newest first',
    query: Shape({
      /** Text in the path, in any case; empty: all. */
      search: Type.Optional(Type.String({ maxLength: 256 })),
      after: Type.Optional(Type.String({ maxLength: 64 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
    }),
    reply: TrashList,
  },
  'GET /api/trash/:id/raw': {
    access: 'signed-in',
    ticket: 'raw',
    summary: 'Download a deleted file, or ranges of it',
    params: KeptParams,
    query: Shape({
      inline: Type.Optional(Type.String({ maxLength: 16 })),
      auth: Type.Optional(Type.String({ maxLength: 8192 })),
    }),
  },
  'POST /api/trash/:id/restore': {
    changes: 'restore',
    access: 'signed-in',
    summary: 'Restore a deleted entry to where it was or to another folder, under a free name',
    params: KeptParams,
    /** `to`: a folder, relative to the scope; missing: where the entry was. */
    query: Shape({ to: Type.Optional(Type.String({ maxLength: 16384 })) }),
    /** The path of the restored entry. */
    reply: Shape({ path: Type.String() }),
  },
  'DELETE /api/trash/:id': {
    changes: 'trash',
    records: 'always',
    access: 'signed-in',
    summary: 'Delete an entry of the trash permanently',
    params: KeptParams,
  },
  'DELETE /api/trash': {
    changes: 'trash',
    records: 'always',
    access: 'signed-in',
    summary: 'Delete all entries of the trash permanently that the user sees',
    reply: Shape({ deleted: Type.Integer() }),
  },
  'GET /api/versions/*': {
    access: 'signed-in',
    summary: 'Get the old contents of a file, the newest first',
    params: PathParams,
    reply: Type.Array(Version),
  },
  'POST /api/versions/*': {
    changes: 'restore',
    access: 'signed-in',
    summary: 'Give a file an old content again; its current content becomes a version',
    params: PathParams,
    query: Shape({ version: KeptId }),
  },
  'DELETE /api/versions/*': {
    changes: 'versions',
    records: 'always',
    access: 'signed-in',
    summary: 'Delete an old content of a file permanently',
    params: PathParams,
    query: Shape({ version: KeptId }),
  },
} satisfies Record<Address, Endpoint>
