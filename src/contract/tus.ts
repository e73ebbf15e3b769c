import Type from 'typebox'
import type { Address, Endpoint } from './endpoint.ts'
import { ByPath } from './resources.ts'
import { Shape } from './shape.ts'

/** Uploads in pieces (contract/compatibility.md#uploads-in-pieces). `*` is where the file will be, and which upload is meant. */
export const tus = {
  'POST /api/tus/*': {
    access: 'signed-in',
    summary: 'Begin an upload in pieces',
    params: ByPath,
    query: Shape({ override: Type.Optional(Type.String({ maxLength: 16 })) }),
  },
  'GET /api/tus/*': {
    access: 'signed-in',
    summary: 'How much of an upload has come',
    params: ByPath,
  },
  'PATCH /api/tus/*': {
    access: 'signed-in',
    summary: 'Send a piece of an upload',
    quota: 'uploads',
    params: ByPath,
    bytes: true,
  },
  'DELETE /api/tus/*': {
    access: 'signed-in',
    summary: 'Give an upload up, and remove what has come of it',
    params: ByPath,
  },
} satisfies Record<Address, Endpoint>
