import type { JsonSchema } from './schemas.ts'

/** One parameter of an endpoint, as in OpenAPI 3.1. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

/** A body or a response by media type. */
export type Content = Readonly<Record<string, { schema?: JsonSchema; example?: unknown }>>

/** One response of an endpoint. */
export interface ApiResponse {
  description: string
  headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>
  content?: Content
}

/** One endpoint with its method. */
export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly Parameter[]
  requestBody?: { description?: string; required: boolean; content: Content }
  responses: Readonly<Record<string, ApiResponse>>
}
