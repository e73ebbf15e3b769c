import type { Static, TSchema } from 'typebox'
import type { OperationKind } from './operation-kind.ts'

/**
 * The users who may call an endpoint, before the policy is checked. `self`: administrators, and the user whose id is
 * the `id` in the address.
 */
export type Access = 'public' | 'signed-in' | 'self' | 'admin'

/**
 * When a request needs a proof of the user's password that is younger than ten minutes
 * (contract/README.md#users-and-settings): always, or unless it changes only the user's own preferences.
 */
export type ProofNeed = 'always' | 'unless-own-preferences'

/** The actions that a ticket in the query can start (contract/README.md#sessions). */
export type TicketAction = 'raw' | 'command'

/** A quota of parallel requests of one user, over all endpoints that name it. */
export type QuotaName = 'uploads'

/** Maximum sizes of request bodies, in bytes. Before sign-in, no body may be larger than `small`. */
export const bodySizes = { small: 64 * 1024, large: 64 * 1024 * 1024 } as const

/** One endpoint: its access, its inputs and its successful response. */
export interface Endpoint {
  access: Access
  /** One line for the OpenAPI document. */
  summary: string
  /** Missing: never. An endpoint for administrators that changes data must declare it, or the server does not start. */
  proof?: ProofNeed
  /** Also works while the server has no administrator (contract/README.md#first-password). Missing: it does not. */
  beforeSetup?: true
  /**
   * Also works for a user who must change the password first, on the user's own account, and with a body only to change
   * the password (contract/README.md#first-password). Missing: it does not.
   */
  beforeNewPassword?: true
  /**
   * Changes no files, accounts or settings: it needs no proof, and it is not an operation. Also for lists that only the
   * user has, such as starred files.
   */
  changesNothing?: true
  /**
   * The kind of operation that a request is (contract/README.md#operations). An endpoint that is not for reading must
   * declare it, or `changesNothing`.
   */
  changes?: OperationKind
  /** When an operation is recorded: missing: when it has changed files; `always`: also without changed files. */
  records?: 'always'
  /** Not limited by the rate limiter: the request is cheap, and monitoring programs send it often. */
  isUnlimited?: true
  /** Also accepts a token, or a ticket for this action, in the query parameter `auth` (contract/README.md#sessions). */
  ticket?: TicketAction
  /** The request counts towards this quota of the user until its response is complete. */
  quota?: QuotaName
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** Maximum size of the body in bytes, unless `--max-body` is less. An endpoint with a `body` must declare it. */
  maxBodyBytes?: (typeof bodySizes)[keyof typeof bodySizes]
  /** A body that is not valid JSON is treated as missing. The route decides what that means. */
  allowsInvalidBody?: true
  /** The body contains bytes of a file. The route reads them itself; they are never parsed. */
  hasRawBody?: true
  /** Missing: the response is not JSON (a token, bytes, or the text `200 OK`, see contract/README.md#errors). */
  reply?: TSchema
}

/**
 * The method and the path identify the endpoint. `:name` is one segment. A `/*` at the end is a resource path; the
 * address without it (`/api/resources`) means the root.
 */
export type Address = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

type Part<E, K extends string> = E extends Record<K, infer S extends TSchema> ? Static<S> : undefined
type Given<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }

/** The input of endpoint E: only the parts that the contract declares. */
export type Input<E> = Given<{
  params: Part<E, 'params'>
  query: Part<E, 'query'>
  body: Part<E, 'body'>
}>

/** The response body of endpoint E; undefined when it is not JSON. */
export type Output<E> = Part<E, 'reply'>
