import Type, { type Static } from 'typebox'
import { type Address, bodySizes, type Endpoint } from '../schema/endpoint.ts'
import { Shape } from '../schema/shape.ts'

/** A notice that was sent to a webhook, or is about to be. */
export const Delivery = Shape({
  /** The header `webhook-id` of all its attempts. */
  id: Type.String(),
  /** The `type` in the body, such as `share.received`. */
  type: Type.String(),
  /** RFC 3339: when it happened. */
  time: Type.String(),
  state: Type.Enum(['waiting', 'done', 'failed']),
  attempts: Type.Integer(),
  /** The HTTP status of the last response. Missing: there was none. */
  status: Type.Optional(Type.Integer()),
  /**
   * Why the last attempt failed. `address`: the address is not allowed or does not exist. `unreachable`: no response
   * within 15 s. `status`: the response was no success. `off`: the webhook was turned off.
   */
  reason: Type.Optional(Type.Enum(['address', 'unreachable', 'status', 'off'])),
  /** RFC 3339: the next attempt. Only while it waits. */
  next: Type.Optional(Type.String()),
})
export type Delivery = Static<typeof Delivery>

/** The webhook of a user. */
export const WebhookView = Shape({
  /** Empty: there is none. */
  url: Type.String(),
  enabled: Type.Boolean(),
  /** Why the server turned it off: it answered 410, or no delivery succeeded for about three days. */
  fault: Type.Optional(Type.Enum(['gone', 'failed'])),
  /** The newest first, at most 50. */
  deliveries: Type.Array(Delivery),
  /** The new secret. Only in the response that makes it: it is never shown again. */
  secret: Type.Optional(Type.String()),
})
export type WebhookView = Static<typeof WebhookView>

export const webhook = {
  'GET /api/webhook': {
    access: 'signed-in',
    summary: 'Get your webhook and its last deliveries',
    reply: WebhookView,
  },
  'PUT /api/webhook': {
    access: 'signed-in',
    changes: 'users',
    records: 'always',
    summary: 'Set the address of your webhook, and turn it on or off',
    maxBodyBytes: bodySizes.small,
    body: Shape({
      /** Empty: removes the webhook with its secret and its deliveries. */
      url: Type.String({ maxLength: 2048 }),
      enabled: Type.Boolean(),
    }),
    reply: WebhookView,
  },
  'POST /api/webhook/secret': {
    access: 'signed-in',
    changes: 'users',
    records: 'always',
    summary: 'Replace the secret of your webhook',
    reply: Shape({ secret: Type.String() }),
  },
  'POST /api/webhook/test': {
    access: 'signed-in',
    changesNothing: true,
    summary: 'Send a test event to your webhook',
    reply: Shape({ id: Type.String() }),
  },
  'POST /api/webhook/deliveries/:id': {
    access: 'signed-in',
    changesNothing: true,
    summary: 'Send a delivery to your webhook again, with the same id',
    params: Shape({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
  },
} satisfies Record<Address, Endpoint>
