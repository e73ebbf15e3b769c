import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, HTTPMethods, RawServerDefault } from 'fastify'
import type { TSchema } from 'typebox'
import { type Contract, contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'

/** The Fastify instance for routes: with TypeBox schemas, so that requests have the types of the schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

type SchemaOf<E> = {
  [K in keyof E as K extends 'params' | 'body' ? K : K extends 'query' ? 'querystring' : never]: E[K]
} & (E extends { reply: infer R extends TSchema } ? { response: { 200: R } } : object)

/** Converts a contract address to Fastify route options: method, URL, schema, and the endpoint for the hooks. */
export function at<A extends keyof Contract & string>(address: A) {
  const [method, url] = address.split(' ') as [HTTPMethods, string]
  const endpoint: Endpoint = contract[address]
  const { params, query, body, reply } = endpoint
  const schema = {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    ...(reply && { response: { 200: reply } }),
  }
  return { method, url, config: { endpoint }, schema: schema as unknown as SchemaOf<Contract[A]> }
}
