import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Actor } from '#src/auth/actor.ts'
import type { Auth } from '#src/auth/auth.ts'
import type { Proof } from '#src/auth/proof.ts'
import type { Quotas } from '#src/core/concurrency/quotas.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'
import { bearerToken, cookieToken, peerOf } from '#src/http/bearer-token.ts'
import { addressedPath } from '#src/http/resource-path.ts'
import { type GivenChange, isOwnPreferences } from '#src/users/users.policy.ts'
import { costOf } from './request-cost.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
  interface FastifyRequest {
    /** Who asks. Only for calls that need a login; set by the gate of `server/access.ts`. */
    actor(): Actor
    /** The name of whoever asks or has just signed in, for the log; undefined: a stranger. */
    who: string | undefined
  }
}

/**
 * Every route says who may call it, or the program does not start; nobody else comes in (contract/README.md#sessions), and nobody more
 * often than they may.
 */
export function guardAccess(
  app: App,
  { auth, proof, limits }: { auth: Auth; proof: Proof; limits: Quotas },
): void {
  app.decorateRequest('actor', () => {
    throw new Problem('auth.required')
  })
  app.decorateRequest('who')
  app.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {}
    if (!endpoint) throw new Error(`${route.method} ${route.url} declares no access`)
    if (endpoint.body && !endpoint.mostBody) {
      throw new Error(`${route.method} ${route.url} declares no size of its body`)
    }
    const isReading = ['GET', 'HEAD'].includes(String(route.method))
    if (endpoint.access === 'admin' && !isReading && !endpoint.proof) {
      throw new Error(`${route.method} ${route.url} declares no proof`)
    }
  })
  app.addHook('onRequest', async (request, reply) => admit(request, reply, { auth, limits }))
  app.addHook('preHandler', async (request) => checkAfterBody(request))
  app.addHook('preHandler', async (request) => requireProof(request, proof))
  countQuotas(app, limits)
}

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { auth, limits }: { auth: Auth; limits: Quotas },
): Promise<void> {
  const { endpoint } = request.routeOptions.config
  if (!endpoint || endpoint.uncounted) return
  const actor = endpoint.access === 'public' ? undefined : whoAsks(auth, request, endpoint)
  if (!actor) limits.strangers.take(networkOf(request.ip ?? ''), costOf(request.url))
  if (endpoint.access === 'public') return
  if (!actor) throw new Problem('auth.required')
  request.who = actor.user.username
  limits.users.take(String(actor.user.id))
  if (!mayEnter(endpoint, actor, request)) throw new Problem('auth.forbidden')
  // Bound to its own request, so that a handler may take it apart: `({ actor }) => actor()`.
  request.actor = () => actor
  if (auth.isStale(actor)) reply.header('x-renew-token', 'true')
}

/** Counts a call towards the quota that its contract entry names, until it is answered or its connection closes. */
function countQuotas(app: App, limits: Quotas): void {
  const permits = new WeakMap<FastifyRequest, Disposable>()
  app.addHook('preHandler', async (request, reply) => {
    const { endpoint } = request.routeOptions.config
    if (!endpoint?.quota) return
    const permit = limits[endpoint.quota].acquireNow(String(request.actor().user.id))
    permits.set(request, permit)
    reply.raw.once('close', () => permit[Symbol.dispose]())
  })
  // Before the answer leaves, so that a client that has it can begin the next one.
  app.addHook('onSend', async (request) => permits.get(request)?.[Symbol.dispose]())
}

/** Whether a signed-in user may make a call at all. The id is compared as it is written, before anything is read from it. */
function mayEnter({ access }: Endpoint, { user }: Actor, { params }: FastifyRequest): boolean {
  if (access === 'signed-in' || user.perm.admin) return true
  return access === 'self' && (params as { id?: string }).id === String(user.id)
}

/** Checks access again once a body is there: while it came, the session may have ended and rights may have changed. */
function checkAfterBody(request: FastifyRequest): void {
  const { endpoint } = request.routeOptions.config
  if (endpoint?.body && endpoint.access !== 'public') request.actor().check([])
}

/** Requires the proof of the password that a call declares (contract/README.md#users-and-settings), once its body is there and valid. */
async function requireProof(request: FastifyRequest, proof: Proof): Promise<void> {
  const { endpoint } = request.routeOptions.config
  if (!endpoint?.proof) return
  const actor = request.actor()
  const { id } = request.params as { id?: number }
  const body = request.body as (GivenChange & { current_password?: string }) | null | undefined
  if (endpoint.proof === 'unless-own-preferences' && isOwnPreferences(actor.user, id, body)) return
  await proof.check(actor, body?.current_password, { address: request.ip ?? '', ...peerOf(request) })
}

function whoAsks(auth: Auth, request: FastifyRequest, endpoint: Endpoint): Actor | undefined {
  const token = bearerToken(request)
  if (token) return auth.byToken(token)
  if (!endpoint.ticket) return undefined
  const given = (request.query as { auth?: unknown }).auth ?? cookieToken(request)
  if (typeof given !== 'string') return undefined
  const isToken = given.split('.').length === 3
  return isToken ? auth.byToken(given) : auth.byTicket(given, endpoint.ticket, addressedPath(request).path)
}
