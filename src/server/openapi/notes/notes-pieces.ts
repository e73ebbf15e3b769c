import type { tus } from '#contract/resources.ts'
import type { visits } from '#contract/visits.ts'
import type { EndpointNote } from './note.ts'
import { diskErrors, preconditionHeaders, uploadErrors, writeErrors } from './note-parts.ts'

/** Notes on uploads in pieces. */
export const piecesNotes: Readonly<Record<keyof typeof tus, EndpointNote>> = {
  'POST /api/tus/*': {
    name: 'beginUpload',
    response: 'begun',
    errorCodes: [
      'auth.forbidden',
      'path.exists',
      'upload.running',
      'request.large',
      'user.busy',
      'hook.before',
      ...writeErrors,
    ],
    headers: {
      ...preconditionHeaders,
      'Upload-Length': 'The size of the whole file in bytes; required',
      'Upload-Metadata':
        '`mtime` is the modification time of the file, in milliseconds since 1970, in Base64; other keys are ignored',
    },
    description:
      'The file is created or replaced when the last byte has arrived. Received bytes are kept for a day after the last piece, ' +
      'also when the server restarts. A user has one upload for each path: a new upload replaces the old one. While the old ' +
      'one still receives bytes, and for a minute after that, this needs `override=true`.',
    example: { path: 'docs/large.bin', query: { override: 'true' }, headers: { 'Upload-Length': '40' } },
  },
  'GET /api/tus/*': {
    name: 'askUpload',
    response: 'progress',
    errorCodes: ['auth.forbidden', 'upload.unknown', ...diskErrors],
    headers: { 'Upload-Id': 'The id of the upload; also works for an upload that has just finished' },
    description:
      'If the server is still receiving a piece of this upload, it aborts it, because the client has lost that connection.',
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
      'Upload-Offset': 'The offset of the piece, which equals the number of received bytes; required',
      'Upload-Id': 'The id of the upload; without it, only the session that began the upload can continue it',
    },
    description:
      'The content type is `application/offset+octet-stream`. If a piece is interrupted, its received bytes are kept. A piece ' +
      'that is longer than the missing rest is refused as a whole.',
    bodyType: 'application/offset+octet-stream',
    example: { path: 'docs/large.bin', headers: { 'Upload-Offset': '0' } },
  },
  'DELETE /api/tus/*': {
    name: 'cancelUpload',
    response: 'nothing',
    errorCodes: ['auth.forbidden', 'upload.unknown', ...diskErrors],
    headers: {
      'Upload-Id': 'The id of the upload; without it, only the session that began the upload can cancel it',
    },
    example: { path: 'docs/large.bin' },
  },
}

type VisitorCall = Extract<keyof typeof visits, `${string} /api/public/tus/*`>

const visitorErrors = [
  'share.limit',
  'share.unknown',
  'share.password',
  'share.people',
  'auth.forbidden',
] as const
const visitorHeaders = {
  'X-Share-Password': 'The password of the share, percent-encoded',
  'X-Visit': 'The ticket of the visit, from the first answer; required after it',
}
const visitorPath = 'The id of a share, followed by the path inside it'
const visitorExample = { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/large.bin' }

/** Notes on uploads in pieces by visitors of shares. */
export const visitorPiecesNotes: Readonly<Record<VisitorCall, EndpointNote>> = {
  'POST /api/public/tus/*': {
    name: 'beginUploadToShare',
    response: 'begun',
    path: visitorPath,
    errorCodes: ['share.type', 'request.large', 'user.busy', ...visitorErrors, ...writeErrors],
    headers: {
      ...visitorHeaders,
      'Upload-Length': 'The size of the whole file in bytes; required',
      'Upload-Metadata':
        '`mtime` is the modification time of the file, in milliseconds since 1970, in Base64',
    },
    description:
      'The upload belongs to the visit. A file whose name is taken when the last byte has arrived gets a number.',
    example: { ...visitorExample, headers: { 'Upload-Length': '40' } },
  },
  'GET /api/public/tus/*': {
    name: 'askUploadToShare',
    response: 'progress',
    path: visitorPath,
    errorCodes: ['upload.unknown', 'share.type', ...visitorErrors, ...diskErrors],
    headers: {
      ...visitorHeaders,
      'Upload-Id': 'The id of the upload; also works for an upload that has just finished',
    },
    description: 'The answer for an upload that has just finished has the header `X-Received`.',
    example: visitorExample,
  },
  'PATCH /api/public/tus/*': {
    name: 'sendPieceToShare',
    response: 'taken',
    path: visitorPath,
    errorCodes: [
      'upload.unknown',
      'upload.offset',
      'share.type',
      'request.type',
      ...visitorErrors,
      ...uploadErrors,
    ],
    headers: {
      ...visitorHeaders,
      'Upload-Offset': 'The offset of the piece, which equals the number of received bytes; required',
      'Upload-Id': 'The id of the upload',
    },
    description:
      'The answer to the last piece has the header `X-Received`: path, size and SHA-256 as percent-encoded JSON.',
    bodyType: 'application/offset+octet-stream',
    example: { ...visitorExample, headers: { 'Upload-Offset': '0' } },
  },
  'DELETE /api/public/tus/*': {
    name: 'cancelUploadToShare',
    response: 'nothing',
    path: visitorPath,
    errorCodes: ['upload.unknown', 'share.type', ...visitorErrors, ...diskErrors],
    headers: { ...visitorHeaders, 'Upload-Id': 'The id of the upload' },
    example: visitorExample,
  },
}
