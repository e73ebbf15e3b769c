import type { tus } from '#contract/resources.ts'
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
