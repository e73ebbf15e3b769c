import type { ProblemCode } from '#contract/problems.ts'

/** The documentation of an endpoint that its schemas do not contain. */
export interface EndpointNote {
  /** The name of the endpoint in clients that are generated from the document. */
  name: string
  /** The kind of the response when it is not JSON, see `answers.ts`. */
  response?:
    | 'done'
    | 'created'
    | 'saved'
    | 'begun'
    | 'progress'
    | 'taken'
    | 'nothing'
    | 'token'
    | 'bytes'
    | 'generated'
    | 'picture'
    | 'subtitle'
    | 'document'
    | 'page'
    | 'socket'
    | 'lines'
    | 'records'
    | 'events'
  /** The error codes, besides those that every endpoint of its kind has. */
  errorCodes?: readonly ProblemCode[]
  /** Request headers that change its behavior. */
  headers?: Readonly<Record<string, string>>
  /** The media type of a binary body; undefined: any. */
  bodyType?: string
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
