import type { ProblemCode } from '#contract/problems.ts'

/** What the schemas of a call cannot say of it, for the document. */
export interface Note {
  /** What the call is called in programs that are made from the document. */
  name: string
  /** What the answer is when it is not JSON: a kind of `document.ts`. */
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
  /** Why it may be refused, besides what every call of its kind may say. */
  refusals?: readonly ProblemCode[]
  /** Request headers that change what it does. */
  headers?: Readonly<Record<string, string>>
  /** The media type of a body of bytes; undefined: any. */
  bytesAs?: string
  /** What the path parameter means, where it is not a path from the scope. */
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
