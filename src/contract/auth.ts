import Type, { type Static } from 'typebox'
import { type Address, bodySizes, type Endpoint } from './endpoint.ts'
import { PartialShape, Shape } from './shape.ts'
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
    access: 'public',
    summary: 'Sign in; answers the token as text',
    /** Optional, also in parts: without authentication nothing is needed. Otherwise missing credentials are wrong. */
    maxBodyBytes: bodySizes.small,
    body: Type.Union([PartialShape(Credentials), Type.Null()]),
    allowsInvalidBody: true,
  },
  'POST /api/signup': {
    access: 'public',
    summary: 'Make an account for oneself, when the instance allows it',
    maxBodyBytes: bodySizes.small,
    body: Shape(Credentials),
    allowsInvalidBody: true,
  },
  'POST /api/renew': {
    access: 'signed-in',
    summary: 'A fresh token for the same session, as text; those before it stay good until their own `exp`',
  },
  'POST /api/logout': { access: 'signed-in', summary: 'End this session' },
  'POST /api/ticket': {
    access: 'signed-in',
    summary: 'A signed string that starts one action on one path within 60 s, for addresses a browser opens',
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
    summary: 'The sessions of the user who asks, last used first',
    reply: Type.Array(SessionView),
  },
  'DELETE /api/sessions': {
    access: 'signed-in',
    summary: "End all of one's own sessions but the one that asks",
  },
  'DELETE /api/sessions/:id': {
    access: 'signed-in',
    summary: "End one of one's own sessions",
    params: Shape({ id: Type.String({ maxLength: 64 }) }),
  },
  'GET /api/users/:id/sessions': {
    access: 'admin',
    summary: "A user's sessions, last used first",
    params: IdParams,
    reply: Type.Array(SessionView),
  },
  'DELETE /api/users/:id/sessions': {
    access: 'admin',
    proof: 'always',
    summary: 'Sign a user out everywhere',
    params: IdParams,
    maxBodyBytes: bodySizes.small,
    body: ProofBody,
  },
  'DELETE /api/users/:id/sessions/:session': {
    access: 'admin',
    proof: 'always',
    summary: "End one of a user's sessions",
    params: Shape({ ...IdParams.properties, session: Type.String({ maxLength: 64 }) }),
    maxBodyBytes: bodySizes.small,
    body: ProofBody,
  },
} satisfies Record<Address, Endpoint>
