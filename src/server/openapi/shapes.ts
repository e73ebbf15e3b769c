import type { JsonSchema } from './schemas.ts'

/** One parameter of a call, in the words of OpenAPI 3.1. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

/** A body or an answer by media type. */
export type Content = Readonly<Record<string, { schema?: JsonSchema; example?: unknown }>>

/** One answer of a call. */
export interface Answer {
  description: string
  headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>
  content?: Content
}

/** One call. */
export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly Parameter[]
  requestBody?: { description?: string; required: boolean; content: Content }
  responses: Readonly<Record<string, Answer>>
}
