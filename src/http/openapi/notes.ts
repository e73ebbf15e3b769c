import type { Contract } from '#contract/index.ts'
import type { Note } from './note.ts'
import { peopleNotes } from './notes-people.ts'

// What touches something on the disk may meet all of these.
const there = [
  ...(['path.unknown', 'path.forbidden', 'path.outside', 'path.denied', 'path.link'] as const),
  'path.dangling',
  ...(['disk.silent', 'disk.failed'] as const),
  // Each waits for its share of threads and open files, and for a while only.
  ...(['user.busy', 'server.busy'] as const),
] as const
const written = [
  ...there,
  ...(['path.special', 'path.busy', 'path.changed', 'path.large', 'request.cut'] as const),
  ...(['disk.full', 'disk.quota', 'disk.readonly', 'disk.unable'] as const),
] as const
const sent = [...written, 'request.large', 'user.busy'] as const
const packed = ['user.busy', 'server.busy'] as const
const shared = ['share.unknown', 'share.password', 'auth.limited', 'auth.forbidden', ...there] as const
const sharing = ['share.right', 'share.download'] as const
const conditions = {
  'If-Match': 'Only when the file is still in this state (its `ETag`)',
  'If-Unmodified-Since': 'Only when the file was not changed since',
}
const fresh = {
  'If-None-Match': '304 when the file is still in this state',
  'If-Modified-Since': '304 when the file was not changed since',
}
const reading = {
  ...conditions,
  ...fresh,
  Range: 'One range of bytes or several',
  'If-Range': 'The range only when the file is still in this state; else the whole',
}
const unlocking = { 'X-Share-Password': "The share's password, percent-encoded" }
const hashPath = 'The id of a link'
const visitPath =
  'The id of a link; inside a shared folder the path follows it, each name percent-encoded, slashes as they are'

/** One note for each call: a call without one does not compile. */
export const notes: Readonly<Record<keyof Contract, Note>> = {
  ...peopleNotes,
  'GET /api/resources/*': {
    name: 'look',
    refusals: ['path.changed', ...there, ...packed],
    headers: { ...conditions, ...fresh, 'X-Encoding': '`true` answers the bytes of a text as they are' },
    example: { path: 'docs/report.txt' },
  },
  'POST /api/resources/*': {
    name: 'create',
    answer: 'saved',
    refusals: ['auth.forbidden', 'path.exists', 'path.root', ...sent],
    headers: conditions,
    description:
      'The body is the bytes of the file. `multipart/form-data` uploads its files into the folder, as `curl -F file=@x` does. ' +
      'Missing folders above are made. What exists is replaced only with `override=true`, and only with the right to modify.',
    example: { path: 'docs/new.txt', query: { override: 'true' } },
  },
  'PUT /api/resources/*': {
    name: 'save',
    answer: 'saved',
    refusals: ['auth.forbidden', 'path.folder', 'path.root', ...sent],
    headers: conditions,
    description:
      'The body is the bytes of the file: a reader sees the old ones or the new ones, never a mixture.',
    example: { path: 'docs/report.txt' },
  },
  'DELETE /api/resources/*': {
    name: 'remove',
    answer: 'done',
    refusals: ['auth.forbidden', 'path.root', 'path.busy', ...there],
    example: { path: 'docs/old/' },
  },
  'POST /api/delete/*': {
    name: 'removeAll',
    refusals: ['auth.forbidden', 'path.invalid'],
    description:
      'Each of the things is deleted as by a call of its own, and the answer tells what became of each. What is refused stays, and the others go. Who closes the connection stops it.',
    example: { path: 'docs/', body: { paths: ['old.txt', 'drafts'] } },
  },
  'PATCH /api/resources/*': {
    name: 'transfer',
    answer: 'done',
    refusals: [
      'auth.forbidden',
      'path.exists',
      'path.inside',
      'path.root',
      'path.busy',
      'disk.full',
      ...there,
    ],
    description:
      'What exists at the destination is replaced with `override=true` (needs the right to modify) or left alone with ' +
      '`rename=true`, which takes the first free `name(1).ext`; without either the call is refused.',
    example: { path: 'docs/report.txt', query: { action: 'copy', destination: '/docs/copy.txt' } },
  },
  'POST /api/tus/*': {
    name: 'beginUpload',
    answer: 'begun',
    refusals: ['auth.forbidden', 'path.exists', 'request.large', 'user.busy', 'hook.before', ...written],
    headers: { ...conditions, 'Upload-Length': 'Bytes of the whole file; required' },
    description:
      'The file appears, or is replaced, when its last byte has come. What has come is kept for a day after the last piece, ' +
      'also when the server starts anew. A person has one upload for a path: a second one takes its place.',
    example: { path: 'docs/large.bin', query: { override: 'true' }, headers: { 'Upload-Length': '40' } },
  },
  'GET /api/tus/*': {
    name: 'askUpload',
    answer: 'progress',
    refusals: ['auth.forbidden', 'upload.unknown', ...there],
    headers: { 'Upload-Id': 'The upload that is meant; found also when it has just been finished' },
    description: 'Ends a piece that is still under way: who asks does not know of it.',
    example: { path: 'docs/large.bin' },
  },
  'PATCH /api/tus/*': {
    name: 'sendPiece',
    answer: 'taken',
    refusals: ['auth.forbidden', 'upload.unknown', 'upload.offset', 'path.exists', 'request.type', ...sent],
    headers: {
      'Upload-Offset': 'Where the piece begins: as many bytes as have come; required',
      'Upload-Id': 'The upload that is meant',
    },
    description:
      'As `application/offset+octet-stream`. A piece that breaks off is kept as far as it came. One that is longer than what ' +
      'is missing is not taken at all.',
    bytesAs: 'application/offset+octet-stream',
    example: { path: 'docs/large.bin', headers: { 'Upload-Offset': '0' } },
  },
  'DELETE /api/tus/*': {
    name: 'cancelUpload',
    answer: 'nothing',
    refusals: ['auth.forbidden', 'upload.unknown', ...there],
    example: { path: 'docs/large.bin' },
  },
  'GET /api/raw/*': {
    name: 'download',
    answer: 'bytes',
    refusals: ['auth.forbidden', 'path.special', 'path.changed', 'request.range', ...there, ...packed],
    headers: reading,
    example: { path: 'docs/report.txt', query: { inline: 'true' } },
  },
  'POST /api/public/selection': {
    name: 'keepSelection',
    refusals: ['server.busy'],
    description:
      'For more names than an address can carry: `selection` then stands where `files` would. It lets nobody reach anything.',
    example: { body: { files: 'report.txt,old' } },
  },
  'GET /api/preview/:size/*': {
    name: 'preview',
    answer: 'picture',
    refusals: [
      ...(['preview.type', 'preview.large', 'preview.broken', 'server.busy'] as const),
      ...(['auth.forbidden', 'path.folder', 'path.special', ...there] as const),
    ],
    headers: { 'If-None-Match': '304 when the picture is still in this state' },
    example: { path: 'holidays/beach.jpg', named: { size: 'thumb' } },
  },
  'GET /api/public/preview/:size/*': {
    name: 'previewShared',
    answer: 'picture',
    path: visitPath,
    refusals: [
      ...(['preview.type', 'preview.large', 'preview.broken', 'path.folder', 'path.special'] as const),
      ...shared,
      ...packed,
    ],
    headers: { ...unlocking, 'If-None-Match': '304 when the picture is still in this state' },
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/beach.jpg', named: { size: 'thumb' } },
  },
  'GET /api/usage/*': { name: 'diskUsage', refusals: there, example: { path: '' } },
  'GET /api/subtitle/*': {
    name: 'subtitle',
    answer: 'subtitle',
    refusals: ['auth.forbidden', 'path.subtitle', ...there, ...packed],
    example: { path: 'films/film.srt' },
  },
  'GET /api/public/subtitle/*': {
    name: 'subtitleShared',
    answer: 'subtitle',
    path: visitPath,
    refusals: ['path.subtitle', ...shared, ...packed],
    headers: unlocking,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/films/film.srt' },
  },
  'GET /api/search/*': {
    name: 'search',
    refusals: [...there, ...packed],
    description:
      'Terms are joined by “or” and match names; `"in quotes"` is one term. `type:image`, `audio`, `music`, `video` or an ' +
      'extension narrows, `case:sensitive` minds the case.',
    example: { path: 'docs/', query: { query: 'report type:txt' } },
  },
  'GET /api/resources/recursive/*': {
    name: 'listTree',
    refusals: [...there, 'path.file', ...packed],
    example: { path: 'docs/' },
  },
  'GET /api/shares': { name: 'listShares', refusals: sharing },
  'GET /api/share/*': {
    name: 'listSharesOf',
    refusals: [...sharing, ...there],
    example: { path: 'docs/report.txt' },
  },
  'POST /api/share/*': {
    name: 'share',
    refusals: [...sharing, 'request.value', 'path.special', 'share.many', ...there],
    description: 'A second permanent link to the same thing, without a password, is the first one.',
    example: {
      path: 'docs/report.txt',
      body: { expires: '7', unit: 'days', password: 'a word for friends' },
    },
  },
  'DELETE /api/share/*': {
    name: 'unshare',
    answer: 'done',
    path: hashPath,
    refusals: [...sharing, 'auth.forbidden', 'share.unknown'],
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' },
  },
  'GET /api/public/share/*': {
    name: 'visit',
    path: visitPath,
    refusals: [...shared, ...packed],
    headers: unlocking,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/' },
  },
  'GET /api/public/dl/*': {
    name: 'downloadShared',
    answer: 'bytes',
    path: visitPath,
    refusals: [...shared, 'path.special', 'path.changed', 'request.range', ...packed],
    headers: { ...unlocking, ...reading },
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/report.txt' },
  },
  'GET /api/command/*': {
    name: 'runCommand',
    answer: 'socket',
    refusals: ['auth.forbidden', 'user.busy', 'server.busy'],
    headers: { Upgrade: '`websocket` (RFC 6455)' },
    description:
      'Only where the server was started with `--enable-exec`, for people who may execute, and for the programs in their list. ' +
      'The first text message is the command line, at most 64 KiB; each line that the program prints comes back as a text ' +
      'message, refusals too, and then the server closes with code 1000. Where a browser opens it, from its own host.',
    example: { path: 'docs/' },
  },
  'GET /health': { name: 'health' },
  'GET /api/openapi.json': { name: 'describe', answer: 'document' },
  'GET /api/docs': { name: 'docs', answer: 'page' },
}
