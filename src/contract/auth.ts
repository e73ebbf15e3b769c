import Type, { type Static } from 'typebox'
import { type Address, bodySizes, type Endpoint } from './schema/endpoint.ts'
import { PartialShape, Shape } from './schema/shape.ts'
import { IdParams, ProofBody } from './users.ts'

/** A session of a user (contract/README.md#sessions). Times are RFC 3339. */
export const SessionView = Shape({
  id: Type.String(),
  /** The `User-Agent` of the browser or program. */
  device: Type.String(),
  address: Type.String(),
  created: Type.String(),
  lastUse: Type.String(),
  /** Whether this is the session of the request. */
  current: Type.Boolean(),
})
export type SessionView = Static<typeof SessionView>

const Credentials = {
  username: Type.String({ maxLength: 1024 }),
  password: Type.String({ maxLength: 1024 }),
  /** The response of the captcha to the page, if the instance has a captcha. */
  recaptcha: Type.Optional(Type.String({ maxLength: 8192 })),
}

export const auth = {
  'POST /api/login': {
    changes: 'session',
    access: 'public',
    summary: 'Sign in; returns the token as text',
    /** Optional, also in parts: without authentication nothing is needed. Otherwise missing credentials are wrong. */
    maxBodyBytes: bodySizes.small,
    body: Type.Union([PartialShape(Credentials), Type.Null()]),
    allowsInvalidBody: true,
  },
  'POST /api/signup': {
    changes: 'users',
    records: 'always',
    access: 'public',
    summary: 'Create your own account, if the instance allows sign-up',
    maxBodyBytes: bodySizes.small,
    body: Shape(Credentials),
    allowsInvalidBody: true,
  },
  'POST /api/setup': {
    changes: 'users',
    records: 'always',
    access: 'public',
    beforeSetup: true,
    summary: 'Create the first administrator, while there is none, and sign in; returns the token as text',
    maxBodyBytes: bodySizes.small,
    body: Shape({
      /** The code that the server printed at its start, in any case, with or without dashes. */
      code: Type.String({ maxLength: 64 }),
      username: Credentials.username,
      password: Credentials.password,
    }),
    allowsInvalidBody: true,
  },
  'POST /api/renew': {
    changes: 'session',
    access: 'signed-in',
    beforeNewPassword: true,
    summary:
      'Renew the token of this session; returns the new token as text. Older tokens stay valid until their own `exp`',
  },
  'POST /api/logout': {
    changes: 'session',
    access: 'signed-in',
    beforeNewPassword: true,
    summary: 'End this session',
  },
  'POST /api/ticket': {
    changes: 'session',
    access: 'signed-in',
    summary:
      'Create a ticket: a signed string that allows one action on one path within 60 s, for URLs that a browser opens',
    maxBodyBytes: bodySizes.small,
    body: Shape({
      action: Type.Enum(['raw', 'command']),
      /** Decoded path from the scope, as in `/docs/a b.txt`. */
      path: Type.String({ maxLength: 16384 }),
    }),
    reply: Shape({ ticket: Type.String() }),
  },
  'GET /api/sessions': {
    access: 'signed-in',
    summary: 'List your sessions, last used first',
    reply: Type.Array(SessionView),
  },
  'DELETE /api/sessions': {
    changes: 'session',
    access: 'signed-in',
    proof: 'always',
    summary: 'End all your sessions except this one',
    maxBodyBytes: bodySizes.small,
    body: ProofBody,
  },
  'DELETE /api/sessions/:id': {
    changes: 'session',
    access: 'signed-in',
    proof: 'always',
    summary: 'End one of your sessions',
    params: Shape({ id: Type.String({ maxLength: 64 }) }),
    maxBodyBytes: bodySizes.small,
    body: ProofBody,
  },
  'GET /api/users/:id/sessions': {
    access: 'admin',
    summary: 'List the sessions of a user, last used first',
    params: IdParams,
    reply: Type.Array(SessionView),
  },
  'DELETE /api/users/:id/sessions': {
    changes: 'session',
    access: 'admin',
    proof: 'always',
    summary: 'End all sessions of a user',
    params: IdParams,
    maxBodyBytes: bodySizes.small,
    body: ProofBody,
  },
  'DELETE /api/users/:id/sessions/:session': {
    changes: 'session',
    access: 'admin',
    proof: 'always',
    summary: 'End one session of a user',
    params: Shape({ ...IdParams.properties, session: Type.String({ maxLength: 64 }) }),
    maxBodyBytes: bodySizes.small,
    body: ProofBody,
  },
} satisfies Record<Address, Endpoint>
