import type { Contract } from '#contract/index.ts'
import type { EndpointNote } from './note.ts'
import {
  busyErrors,
  cacheHeaders,
  diskErrors,
  downloadHeaders,
  modifiedHeader,
  preconditionHeaders,
  uploadErrors,
  writeErrors,
} from './note-parts.ts'
import { bookmarksNotes } from './notes-bookmarks.ts'
import { heldNotes } from './notes-held.ts'
import { historyNotes } from './notes-history.ts'
import { keptNotes } from './notes-kept.ts'
import { shareNotes } from './notes-links.ts'
import { noticesNotes } from './notes-notices.ts'
import { accountNotes } from './notes-people.ts'
import { piecesNotes, visitorPiecesNotes } from './notes-pieces.ts'
import { siteNotes } from './notes-site.ts'

/** One note for each endpoint. The compiler rejects an endpoint without one. */
export const notes: Readonly<Record<keyof Contract, EndpointNote>> = {
  ...accountNotes,
  ...shareNotes,
  ...siteNotes,
  ...historyNotes,
  ...keptNotes,
  ...bookmarksNotes,
  ...noticesNotes,
  ...heldNotes,
  ...piecesNotes,
  ...visitorPiecesNotes,
  'GET /api/resources/*': {
    name: 'look',
    errorCodes: ['path.changed', ...diskErrors, ...busyErrors],
    headers: {
      ...preconditionHeaders,
      ...cacheHeaders,
      'X-Encoding': '`true`: return the unchanged bytes of a text file',
    },
    example: { path: 'docs/report.txt' },
  },
  'POST /api/resources/*': {
    name: 'create',
    response: 'saved',
    errorCodes: ['auth.forbidden', 'path.exists', 'path.root', ...uploadErrors],
    headers: { ...preconditionHeaders, ...modifiedHeader },
    description:
      'The body is the content of the file. With `multipart/form-data`, the files of the form are uploaded into the folder, as ' +
      '`curl -F file=@x` does. Missing parent folders are created. An existing file is replaced only with `override=true`, which ' +
      'needs the permission to modify.',
    example: { path: 'docs/new.txt', query: { override: 'true' } },
  },
  'POST /api/upload/*': {
    name: 'uploadAll',
    bodyType: 'multipart/form-data',
    errorCodes: ['auth.forbidden', 'path.invalid', 'request.invalid'],
    description:
      'The name of each file is its path relative to the folder, percent-encoded as in a URL. An empty file with a slash at the ' +
      'end of its name creates a folder. A field `mtime` before a file is its modification time, in milliseconds since 1970. ' +
      'Each file is uploaded as a separate request would upload it: a refused file changes nothing, and the others are ' +
      'uploaded. At most 100 files. The results are in the order of the files.',
    example: { path: 'docs/', query: { override: 'true' } },
  },
  'PUT /api/resources/*': {
    name: 'save',
    response: 'saved',
    errorCodes: ['auth.forbidden', 'path.folder', 'path.root', ...uploadErrors],
    headers: { ...preconditionHeaders, ...modifiedHeader },
    description:
      'The body is the content of the file. Readers see the old content or the new content, never a mixture.',
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
      'Deletes each entry as a separate request would, and returns the result for each. Refused entries stay; the others are deleted. Closing the connection stops the deletion.',
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
      'If something exists at the destination: `override=true` replaces it (needs the permission to modify), and `rename=true` ' +
      'uses the first free name `name(1).ext`. Without either, the request is refused.',
    example: { path: 'docs/report.txt', query: { action: 'copy', destination: '/docs/copy.txt' } },
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
    headers: { 'If-None-Match': 'Return 304 if the image still has this `ETag`' },
    example: { path: 'holidays/beach.jpg', named: { size: 'thumb' } },
  },
  'GET /api/metadata/*': {
    name: 'metadata',
    errorCodes: ['auth.forbidden', 'path.special', ...diskErrors, ...busyErrors],
    description:
      'Needs the permission to download, because metadata is content of files. The response about a folder arrives after about ' +
      'two seconds at the latest. It is `complete` when all files have been read: until then, send the same request again.',
    example: { path: 'holidays/', query: { fields: 'taken,dimensions' } },
  },
  'POST /api/rotate/*': {
    name: 'rotatePicture',
    response: 'saved',
    errorCodes: ['auth.forbidden', 'picture.rotation', 'path.folder', 'hook.before', ...writeErrors],
    headers: preconditionHeaders,
    example: { path: 'holidays/photo.jpg', query: { by: '90' } },
  },
  'GET /api/usage/*': { name: 'diskUsage', errorCodes: diskErrors, example: { path: '' } },
  'GET /api/rights/*': {
    name: 'effectiveRights',
    errorCodes: [...diskErrors, ...busyErrors],
    description:
      'Renaming and deleting a folder need that no rule denies anything in it. `create` is about a folder, `save` about a file.',
    example: { path: 'docs/' },
  },
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
      'A name matches if it contains one of the terms; `"in quotes"` is one term. `type:image`, `audio`, `music`, `video` or an ' +
      'extension filters by type. `case:sensitive` makes the search case-sensitive.',
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
      'Needs a server that was started with `--enable-exec`, the execute permission, and a program that is in the list of the ' +
      'user. The first text message is the command line, at most 64 KiB. The server sends each line of output, and each refusal, ' +
      'as a text message, and then closes with code 1000. A browser may connect only from the origin of this server.',
    example: { path: 'docs/' },
  },
  'GET /api/doctor': { name: 'checkServer', errorCodes: [...diskErrors, ...busyErrors] },
  'GET /api/doctor/connection': { name: 'checkConnection' },
  'GET /api/doctor/stream': { name: 'checkStream', response: 'lines' },
  'POST /api/doctor/probe': { name: 'checkBody', errorCodes: ['request.large', 'user.busy'] },
  'GET /api/events': {
    name: 'receiveEvents',
    response: 'events',
    errorCodes: busyErrors,
    description:
      'The first event is `hello` with the `id` of the connection. `change` names a folder and, unless there were too many, the ' +
      'changed names in it: changes that users make through this server anywhere in the scope, and those of other programs in the ' +
      'folders that were set with `PUT`. `trash` means that entries which the user may see were moved to the trash or have left ' +
      'it. `lost` means that events were dropped: everything in its folder and below it may have changed, and the trash. `watch` tells that a shown folder is watched from now on, or no longer. A comment is sent every 20 seconds. The ' +
      'server ends each connection after an hour, and when the session ends.',
  },
  'PUT /api/events/:id': {
    name: 'showFolders',
    errorCodes: ['path.invalid', 'request.unknown', 'user.busy', ...busyErrors],
    example: { named: { id: 'k3Jx2Yt' }, body: { folders: ['/docs'] } },
  },
  'GET /health': { name: 'health' },
  'GET /api/openapi.json': { name: 'describe', response: 'document' },
  'GET /api/docs': { name: 'docs', response: 'page' },
}
