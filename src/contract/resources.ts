import Type, { type Static } from 'typebox'
import { type Address, bodySizes, type Endpoint } from './schema/endpoint.ts'
import { PathParams, resourceTypes } from './schema/resource-path.ts'
import { Rights } from './schema/rights.ts'
import { Shape } from './schema/shape.ts'
import { FolderView, Sorting } from './users.ts'

export const checksumAlgorithms = ['md5', 'sha1', 'sha256', 'sha512'] as const
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

/** Archive formats. Old clients send `true` for a zip (contract/compatibility.md#downloads-and-archives). */
export const archiveAlgorithms = [
  'zip',
  'tar',
  'targz',
  'tarbz2',
  'tarxz',
  'tarlz4',
  'tarsz',
  'tarzst',
  'tarbr',
] as const
export type ArchiveAlgorithm = (typeof archiveAlgorithms)[number]

/** The fields of a file or folder in every response (contract/compatibility.md#listings-and-files). */
const common = {
  name: Type.String(),
  /** Path from the scope, `/`-separated, not encoded. */
  path: Type.String(),
  /** Address of its page: `/files` and the encoded path; for a folder with a slash at the end. */
  url: Type.String(),
  /** Bytes. */
  size: Type.Number(),
  /** With the dot; empty if the name has no extension. */
  extension: Type.String(),
  /** RFC 3339. */
  modified: Type.String(),
  /** Go's file mode: permission bits and, for folders, 0x80000000 (contract/compatibility.md#conventions). */
  mode: Type.Number(),
  isDir: Type.Boolean(),
  isSymlink: Type.Boolean(),
  type: Type.Enum([...resourceTypes]),
}

export const Item = Shape({
  ...common,
  index: Type.Integer(),
  subtitles: Type.Optional(Type.Array(Type.String())),
})
export type Item = Static<typeof Item>

export const Listing = Shape({
  kind: Type.Literal('listing'),
  ...common,
  items: Type.Array(Item),
  numDirs: Type.Integer(),
  numFiles: Type.Integer(),
  sorting: Sorting,
  /** How the user wants to see this folder. Missing: as all folders (`rememberViews`). */
  view: Type.Optional(FolderView),
})
export type Listing = Static<typeof Listing>

/** One file. `content` exists for text up to 10 MiB and is omitted when empty. */
export const FileView = Shape({
  kind: Type.Enum(['editor', 'preview']),
  ...common,
  content: Type.Optional(Type.String()),
  subtitles: Type.Optional(Type.Array(Type.String())),
  checksums: Type.Optional(Type.Record(Type.String(), Type.String())),
})
export type FileView = Static<typeof FileView>

/** Only the text `true` sets a flag (contract/compatibility.md#writing-files). */
const Flag = Type.Optional(Type.String({ maxLength: 16 }))
/** An id from `POST /api/public/selection`, used when `files` would be too long for an address. */
export const Selection = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }))

/** Unlocks a share with a password in requests that cannot send a header. */
export const ShareToken = Type.Optional(Type.String({ maxLength: 1024 }))

/** The result for one of several entries of a request. `path` is the requested path, relative to the folder. */
const result = {
  path: Type.String(),
  /** The status that a single request would get. */
  status: Type.Integer(),
  /** The problem code, if it was refused. */
  code: Type.Optional(Type.String()),
  /** The cause of the refusal. */
  detail: Type.Optional(Type.String()),
}

export const DeleteResult = Shape(result)
export type DeleteResult = Static<typeof DeleteResult>

/** `etag`: that of the new file. */
export const UploadResult = Shape({ ...result, etag: Type.Optional(Type.String()) })
export type UploadResult = Static<typeof UploadResult>

/** Maximum number of entries that one request can delete. */
export const maxDeletedEntries = 10_000

export const resources = {
  'GET /api/resources/*': {
    access: 'signed-in',
    summary: 'Get a folder with its items, or a file with its text',
    params: PathParams,
    /** The checksum algorithm for a file; empty: none. Ignored for a folder (contract/compatibility.md#checksums). */
    query: Shape({ checksum: Type.Optional(Type.Enum(['', ...checksumAlgorithms])) }),
    reply: Type.Union([Listing, FileView]),
  },
  'POST /api/resources/*': {
    changes: 'upload',
    access: 'signed-in',
    summary: 'Create a folder (trailing slash) or upload a file',
    quota: 'uploads',
    params: PathParams,
    query: Shape({ override: Flag }),
    hasRawBody: true,
  },
  'POST /api/upload/*': {
    changes: 'upload',
    access: 'signed-in',
    summary: 'Upload several files into a folder in one request, with a result for each',
    quota: 'uploads',
    params: PathParams,
    query: Shape({ override: Flag }),
    hasRawBody: true,
    reply: Type.Array(UploadResult),
  },
  'PUT /api/resources/*': {
    changes: 'save',
    access: 'signed-in',
    summary: 'Save a file; creates it if it does not exist',
    quota: 'uploads',
    params: PathParams,
    hasRawBody: true,
  },
  'DELETE /api/resources/*': {
    changes: 'delete',
    access: 'signed-in',
    summary: 'Move a file or folder to the trash, or delete it permanently',
    params: PathParams,
    query: Shape({ permanent: Flag }),
  },
  'POST /api/delete/*': {
    changes: 'delete',
    access: 'signed-in',
    summary:
      'Delete several entries of a folder; with `Accept: application/x-ndjson`, streams one result per line',
    params: PathParams,
    query: Shape({ permanent: Flag }),
    maxBodyBytes: bodySizes.large,
    body: Shape({
      /** Paths relative to the folder, not encoded. */
      paths: Type.Array(Type.String({ minLength: 1, maxLength: 4096 * 6 }), {
        minItems: 1,
        maxItems: maxDeletedEntries,
      }),
    }),
    reply: Type.Array(DeleteResult),
  },
  'PATCH /api/resources/*': {
    changes: 'move',
    access: 'signed-in',
    summary:
      'Copy, rename or move to `destination`, a path relative to the scope that is percent-encoded twice',
    params: PathParams,
    query: Shape({
      action: Type.Enum(['copy', 'rename']),
      destination: Type.String({ minLength: 1, maxLength: 16384 }),
      override: Flag,
      rename: Flag,
    }),
  },
  'GET /api/raw/*': {
    access: 'signed-in',
    ticket: 'raw',
    summary: 'Download a file, or ranges of it; a folder or a selection of its entries as one archive',
    params: PathParams,
    query: Shape({
      inline: Flag,
      auth: Type.Optional(Type.String({ maxLength: 8192 })),
      /** Comma-separated paths relative to the path, each percent-encoded; empty means the folder itself. */
      files: Type.Optional(Type.String({ maxLength: 1024 * 1024 })),
      selection: Selection,
      algo: Type.Optional(Type.Enum(['', 'true', ...archiveAlgorithms])),
      /** The id of an old content of the file, which is sent instead. */
      version: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    }),
  },
  'POST /api/public/selection': {
    changesNothing: true,
    access: 'public',
    summary: 'Create a short id for a long list of names, valid for 60 s in download URLs',
    maxBodyBytes: bodySizes.large,
    body: Shape({
      /** Like the parameter `files` of a download. */
      files: Type.String({ minLength: 1, maxLength: 1024 * 1024 }),
      /** The id of an earlier request. These names are added to it, because a body before sign-in must be small. */
      selection: Selection,
    }),
    reply: Shape({ selection: Type.String() }),
  },
  'GET /api/usage/*': {
    access: 'signed-in',
    summary: 'Get the size and the used space of the disk that holds a folder, in bytes; zeros for a file',
    params: PathParams,
    reply: Shape({ total: Type.Number(), used: Type.Number() }),
  },
  'GET /api/rights/*': {
    access: 'signed-in',
    summary: 'Get what the user may do with an entry, by permissions, scope and rules',
    params: PathParams,
    reply: Rights,
  },
} satisfies Record<Address, Endpoint>

/**
 * Resumable uploads. `*` is the path of the file and identifies the upload
 * (contract/compatibility.md#uploads-in-pieces).
 */
export const tus = {
  'POST /api/tus/*': {
    changes: 'upload',
    access: 'signed-in',
    summary: 'Start an upload in pieces',
    params: PathParams,
    query: Shape({ override: Type.Optional(Type.String({ maxLength: 16 })) }),
  },
  'GET /api/tus/*': {
    access: 'signed-in',
    summary: 'Get the progress of an upload',
    params: PathParams,
  },
  'PATCH /api/tus/*': {
    changes: 'upload',
    access: 'signed-in',
    summary: 'Send a piece of an upload',
    quota: 'uploads',
    params: PathParams,
    hasRawBody: true,
  },
  'DELETE /api/tus/*': {
    changes: 'upload',
    access: 'signed-in',
    summary: 'Cancel an upload and delete its received bytes',
    params: PathParams,
  },
} satisfies Record<Address, Endpoint>
