import Type from 'typebox'
import type { Address, Endpoint } from '../schema/endpoint.ts'
import { PathParams } from '../schema/resource-path.ts'
import { Shape } from '../schema/shape.ts'

export const commands = {
  'GET /api/command/*': {
    access: 'signed-in',
    ticket: 'command',
    summary: 'Run one command in a folder, over a WebSocket',
    params: PathParams,
    query: Shape({ auth: Type.Optional(Type.String({ maxLength: 8192 })) }),
  },
} satisfies Record<Address, Endpoint>
