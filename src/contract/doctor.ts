import Type, { type Static } from 'typebox'
import type { Address, Endpoint } from './schema/endpoint.ts'
import { Shape } from './schema/shape.ts'

/** The programs whose configuration a finding may say to change. `coffer` is an option, `shell` a command. */
export const Place = Type.Enum(['nginx', 'caddy', 'traefik', 'systemd', 'coffer', 'shell'])
export type Place = Static<typeof Place>

/** The result of a check. */
export const Finding = Shape({
  /** The check and what it found, such as `space.root`. */
  id: Type.String(),
  /** `error`: something does not work. `warning`: something will not work, or is unsafe. */
  level: Type.Enum(['ok', 'advice', 'warning', 'error']),
  /** Sentences in English. */
  text: Type.String(),
  /** The lines to change, for each program that may need it. */
  lines: Type.Array(Shape({ where: Place, text: Type.String() })),
  /** What `coffer doctor --fix` does about it; missing: nothing. */
  fix: Type.Optional(Type.Enum(['mode', 'leftover', 'folder'])),
})
export type Finding = Static<typeof Finding>

/** The results of all checks of the server, the most serious first. */
export const DoctorView = Shape({
  /** The version of Coffer. */
  version: Type.String(),
  findings: Type.Array(Finding),
})
export type DoctorView = Static<typeof DoctorView>

/** How a request has arrived at the server. */
export const ConnectionView = Shape({
  /** The address of the client, as far as the server knows it. */
  address: Type.String(),
  /** The address that has connected: the client, or a proxy. Empty: through a Unix socket. */
  peer: Type.String(),
  /** Whether the forwarding headers of the peer are trusted. */
  isTrusted: Type.Boolean(),
  /** The forwarding headers in the request. */
  forwarded: Shape({ address: Type.Boolean(), scheme: Type.Boolean(), host: Type.Boolean() }),
  /** The scheme, host and port of the URL, as the server knows them. */
  scheme: Type.String(),
  host: Type.String(),
  /** The port that the server listens on. 0: a Unix socket. */
  port: Type.Integer(),
  /** The time of the server, in milliseconds since 1970. */
  time: Type.Integer(),
})
export type ConnectionView = Static<typeof ConnectionView>

export const doctor = {
  'GET /api/doctor': {
    access: 'admin',
    summary: 'Check the server: folders, disk space, options, certificate, users',
    reply: DoctorView,
  },
  'GET /api/doctor/connection': {
    access: 'admin',
    summary: 'Get how this request has arrived, to check the proxy',
    reply: ConnectionView,
  },
  'GET /api/doctor/stream': {
    access: 'admin',
    summary: 'Get five lines, one every 100 ms, to check whether a proxy delays them',
  },
  'POST /api/doctor/probe': {
    access: 'admin',
    summary: 'Send up to 16 MiB that are discarded, to check the body limit of a proxy',
    changesNothing: true,
    quota: 'uploads',
    hasRawBody: true,
    reply: Shape({ bytes: Type.Integer() }),
  },
} satisfies Record<Address, Endpoint>
