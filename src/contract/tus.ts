import Type from 'typebox'
import type { Address, Endpoint } from './schema/endpoint.ts'
import { PathParams } from './schema/resource-path.ts'
import { Shape } from './schema/shape.ts'

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
