import Type from 'typebox'
import { Shape } from './shape.ts'

/** `''`: a folder; `invalid_link`: a link without target or to outside the scope (contract/README.md#resources). */
export const resourceTypes = [
  '',
  'image',
  'audio',
  'video',
  'pdf',
  'text',
  'textImmutable',
  'blob',
  'invalid_link',
] as const
export type ResourceType = (typeof resourceTypes)[number]

/** `*` is the resource path from the scope; empty means the scope itself. */
export const PathParams = Shape({ '*': Type.Optional(Type.String()) })
