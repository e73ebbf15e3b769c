import type { Static, TSchema } from 'typebox'

/**
 * Who may call an endpoint before any finer policy is asked. `self`: administrators, and the user whose id is the `id` of
 * the address.
 */
export type Access = 'public' | 'signed-in' | 'self' | 'admin'

/**
 * When a call needs a proof of the caller's password that is younger than ten minutes (contract/README.md#users-and-settings): always, or unless it
 * changes nothing but the caller's own preferences.
 */
export type ProofNeed = 'always' | 'unless-own-preferences'

/** What a ticket in the query may start (contract/README.md#sessions). */
export type TicketAction = 'raw' | 'command'

/** What a user may have only so many of under way at once, over all calls that name it. */
export type QuotaName = 'uploads'

/** How large bodies of calls may be, in bytes. Before signing in, none may be larger than `small`. */
export const bodySizes = { small: 64 * 1024, large: 64 * 1024 * 1024 } as const

/** One call: its door, its inputs and its single successful answer. */
export interface Endpoint {
  access: Access
  /** One line for the OpenAPI document. */
  summary: string
  /** Absent: never. A call of administrators that changes something must declare it, or the server does not start. */
  proof?: ProofNeed
  /** Costs next to nothing and is asked for by watching programs: strangers may call it as often as they like. */
  uncounted?: true
  /** Also lets in a token or a ticket for this action in the query parameter `auth` (contract/README.md#sessions). */
  ticket?: TicketAction
  /** The call counts towards this quota of the user until it is answered. */
  quota?: QuotaName
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** The most bytes that the body may have, where `--max-body` is not less. A call with a `body` must declare it. */
  mostBody?: (typeof bodySizes)[keyof typeof bodySizes]
  /** A body that is no JSON is as none: the call itself says what that means. */
  anyBody?: true
  /** The body is bytes of a file, read by the route itself, never parsed. */
  bytes?: true
  /** Absent: the answer is not JSON (a token, bytes, or the bare `200 OK` of contract/README.md#errors). */
  reply?: TSchema
}

/**
 * The method and the path are the endpoint's only name. `:name` is one segment; a closing `/*` is a
 * resource path, and the address without it (`/api/resources`) means the root.
 */
export type Address = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

type Part<E, K extends string> = E extends Record<K, infer S extends TSchema> ? Static<S> : undefined
type Given<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }

/** What a caller supplies for endpoint E: only the parts the contract declares. */
export type Input<E> = Given<{
  params: Part<E, 'params'>
  query: Part<E, 'query'>
  body: Part<E, 'body'>
}>

/** What a caller gets back; undefined when the answer is not JSON. */
export type Output<E> = Part<E, 'reply'>
