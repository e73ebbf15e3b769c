import type { ProblemCode } from '#contract/problems.ts'

/** The documentation of an endpoint that its schemas do not contain. */
export interface Note {
  /** The name of the endpoint in clients that are generated from the document. */
  name: string
  /** The kind of the response when it is not JSON, see `answers.ts`. */
  answer?:
    | 'done'
    | 'created'
    | 'saved'
    | 'begun'
    | 'progress'
    | 'taken'
    | 'nothing'
    | 'token'
    | 'bytes'
    | 'picture'
    | 'subtitle'
    | 'document'
    | 'page'
    | 'socket'
  /** The error codes, besides those that every endpoint of its kind has. */
  refusals?: readonly ProblemCode[]
  /** Request headers that change its behavior. */
  headers?: Readonly<Record<string, string>>
  /** The media type of a binary body; undefined: any. */
  bytesAs?: string
  /** The meaning of the path parameter, where it is not a path from the scope. */
  path?: string
  example?: {
    path?: string
    named?: Readonly<Record<string, string>>
    query?: Readonly<Record<string, string>>
    body?: unknown
    headers?: Readonly<Record<string, string>>
  }
  description?: string
}
