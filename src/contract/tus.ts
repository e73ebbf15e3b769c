import Type from 'typebox'
import type { Address, Endpoint } from './endpoint.ts'
import { PathParams } from './resources.ts'
import { Shape } from './shape.ts'

/**
 * Resumable uploads. `*` is the path of the file and identifies the upload
 * (contract/compatibility.md#uploads-in-pieces).
 */
export const tus = {
  'POST /api/tus/*': {
    access: 'signed-in',
    summary: 'Begin an upload in pieces',
    params: PathParams,
    query: Shape({ override: Type.Optional(Type.String({ maxLength: 16 })) }),
  },
  'GET /api/tus/*': {
    access: 'signed-in',
    summary: 'How much of an upload has come',
    params: PathParams,
  },
  'PATCH /api/tus/*': {
    access: 'signed-in',
    summary: 'Send a piece of an upload',
    quota: 'uploads',
    params: PathParams,
    hasRawBody: true,
  },
  'DELETE /api/tus/*': {
    access: 'signed-in',
    summary: 'Give an upload up, and remove what has come of it',
    params: PathParams,
  },
} satisfies Record<Address, Endpoint>
