import type { Static, TSchema } from 'typebox'

/** Who may call an endpoint before any finer policy is asked. */
export type Access = 'public' | 'signed-in' | 'admin'

/** What a ticket in the query may start (contract W4). */
export type TicketAction = 'raw' | 'command'

/** One call: its door, its inputs and its single successful answer. */
export interface Endpoint {
  access: Access
  /** One line for the OpenAPI document. */
  summary: string
  /** Costs next to nothing and is asked for by watching programs: strangers may call it as often as they like. */
  uncounted?: true
  /** Also lets in a token or a ticket for this action in the query parameter `auth` (contract W4). */
  ticket?: TicketAction
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** A body that is no JSON is as none: the call itself says what that means. */
  anyBody?: true
  /** The body is bytes of a file, read by the route itself, never parsed. */
  bytes?: true
  /** Absent: the answer is not JSON (a token, bytes, or the bare `200 OK` of contract W2). */
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
