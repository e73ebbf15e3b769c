import type { Contract } from '#contract/index.ts'
import type { EndpointNote } from './note.ts'
import {
  busyErrors,
  cacheHeaders,
  diskErrors,
  downloadHeaders,
  preconditionHeaders,
  uploadErrors,
  writeErrors,
} from './note-parts.ts'
import { shareNotes } from './notes-links.ts'
import { accountNotes } from './notes-people.ts'

/** One note for each endpoint. The compiler rejects an endpoint without one. */
export const notes: Readonly<Record<keyof Contract, EndpointNote>> = {
  ...accountNotes,
  ...shareNotes,
  'GET /api/resources/*': {
    name: 'look',
    errorCodes: ['path.changed', ...diskErrors, ...busyErrors],
    headers: {
      ...preconditionHeaders,
      ...cacheHeaders,
      'X-Encoding': '`true` answers the bytes of a text as they are',
    },
    example: { path: 'docs/report.txt' },
  },
  'POST /api/resources/*': {
    name: 'create',
    response: 'saved',
    errorCodes: ['auth.forbidden', 'path.exists', 'path.root', ...uploadErrors],
    headers: preconditionHeaders,
    description:
      'The body is the bytes of the file. `multipart/form-data` uploads its files into the folder, as `curl -F file=@x` does. ' +
      'Missing folders above are made. What exists is replaced only with `override=true`, and only with the right to modify.',
    example: { path: 'docs/new.txt', query: { override: 'true' } },
  },
  'PUT /api/resources/*': {
    name: 'save',
    response: 'saved',
    errorCodes: ['auth.forbidden', 'path.folder', 'path.root', ...uploadErrors],
    headers: preconditionHeaders,
    description:
      'The body is the bytes of the file: a reader sees the old ones or the new ones, never a mixture.',
    example: { path: 'docs/report.txt' },
  },
  'DELETE /api/resources/*': {
    name: 'remove',
    response: 'done',
    errorCodes: ['auth.forbidden', 'path.root', 'path.busy', ...diskErrors],
    example: { path: 'docs/old/' },
  },
  'POST /api/delete/*': {
    name: 'removeAll',
    errorCodes: ['auth.forbidden', 'path.invalid'],
    description:
      'Each of the things is deleted as by a call of its own, and the answer tells what became of each. What is refused stays, and the others go. Who closes the connection stops it.',
    example: { path: 'docs/', body: { paths: ['old.txt', 'drafts'] } },
  },
  'PATCH /api/resources/*': {
    name: 'transfer',
    response: 'done',
    errorCodes: [
      'auth.forbidden',
      'path.exists',
      'path.inside',
      'path.root',
      'path.busy',
      'disk.full',
      ...diskErrors,
    ],
    description:
      'What exists at the destination is replaced with `override=true` (needs the right to modify) or left alone with ' +
      '`rename=true`, which takes the first free `name(1).ext`; without either the call is refused.',
    example: { path: 'docs/report.txt', query: { action: 'copy', destination: '/docs/copy.txt' } },
  },
  'POST /api/tus/*': {
    name: 'beginUpload',
    response: 'begun',
    errorCodes: [
      'auth.forbidden',
      'path.exists',
      'request.large',
      'user.busy',
      'hook.before',
      ...writeErrors,
    ],
    headers: { ...preconditionHeaders, 'Upload-Length': 'Bytes of the whole file; required' },
    description:
      'The file appears, or is replaced, when its last byte has come. What has come is kept for a day after the last piece, ' +
      'also when the server starts anew. A person has one upload for a path: a second one takes its place.',
    example: { path: 'docs/large.bin', query: { override: 'true' }, headers: { 'Upload-Length': '40' } },
  },
  'GET /api/tus/*': {
    name: 'askUpload',
    response: 'progress',
    errorCodes: ['auth.forbidden', 'upload.unknown', ...diskErrors],
    headers: { 'Upload-Id': 'The upload that is meant; found also when it has just been finished' },
    description: 'Ends a piece that is still under way: who asks does not know of it.',
    example: { path: 'docs/large.bin' },
  },
  'PATCH /api/tus/*': {
    name: 'sendPiece',
    response: 'taken',
    errorCodes: [
      'auth.forbidden',
      'upload.unknown',
      'upload.offset',
      'path.exists',
      'request.type',
      ...uploadErrors,
    ],
    headers: {
      'Upload-Offset': 'Where the piece begins: as many bytes as have come; required',
      'Upload-Id': 'The upload that is meant',
    },
    description:
      'As `application/offset+octet-stream`. A piece that breaks off is kept as far as it came. One that is longer than what ' +
      'is missing is not taken at all.',
    bodyType: 'application/offset+octet-stream',
    example: { path: 'docs/large.bin', headers: { 'Upload-Offset': '0' } },
  },
  'DELETE /api/tus/*': {
    name: 'cancelUpload',
    response: 'nothing',
    errorCodes: ['auth.forbidden', 'upload.unknown', ...diskErrors],
    example: { path: 'docs/large.bin' },
  },
  'GET /api/raw/*': {
    name: 'download',
    response: 'bytes',
    errorCodes: [
      'auth.forbidden',
      'path.special',
      'path.changed',
      'request.range',
      ...diskErrors,
      ...busyErrors,
    ],
    headers: downloadHeaders,
    example: { path: 'docs/report.txt', query: { inline: 'true' } },
  },
  'GET /api/preview/:size/*': {
    name: 'preview',
    response: 'picture',
    errorCodes: [
      ...(['preview.type', 'preview.large', 'preview.broken', 'server.busy'] as const),
      ...(['auth.forbidden', 'path.folder', 'path.special', ...diskErrors] as const),
    ],
    headers: { 'If-None-Match': '304 when the picture is still in this state' },
    example: { path: 'holidays/beach.jpg', named: { size: 'thumb' } },
  },
  'GET /api/usage/*': { name: 'diskUsage', errorCodes: diskErrors, example: { path: '' } },
  'GET /api/subtitle/*': {
    name: 'subtitle',
    response: 'subtitle',
    errorCodes: ['auth.forbidden', 'path.subtitle', ...diskErrors, ...busyErrors],
    example: { path: 'films/film.srt' },
  },
  'GET /api/search/*': {
    name: 'search',
    errorCodes: [...diskErrors, ...busyErrors],
    description:
      'Terms are joined by “or” and match names; `"in quotes"` is one term. `type:image`, `audio`, `music`, `video` or an ' +
      'extension narrows, `case:sensitive` minds the case.',
    example: { path: 'docs/', query: { query: 'report type:txt' } },
  },
  'GET /api/resources/recursive/*': {
    name: 'listTree',
    errorCodes: [...diskErrors, 'path.file', ...busyErrors],
    example: { path: 'docs/' },
  },
  'GET /api/command/*': {
    name: 'runCommand',
    response: 'socket',
    errorCodes: ['auth.forbidden', 'user.busy', 'server.busy'],
    headers: { Upgrade: '`websocket` (RFC 6455)' },
    description:
      'Only where the server was started with `--enable-exec`, for people who may execute, and for the programs in their list. ' +
      'The first text message is the command line, at most 64 KiB; each line that the program prints comes back as a text ' +
      'message, refusals too, and then the server closes with code 1000. Where a browser opens it, from its own host.',
    example: { path: 'docs/' },
  },
  'GET /health': { name: 'health' },
  'GET /api/openapi.json': { name: 'describe', response: 'document' },
  'GET /api/docs': { name: 'docs', response: 'page' },
}
