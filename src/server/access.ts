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
import { routeResourcePath } from '#src/http/resource-path.ts'
import { isOwnPreferences, type UserChangeInput } from '#src/users/users.policy.ts'
import { requestCost } from './request-cost.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
  interface FastifyRequest {
    /** The authenticated user. Only for endpoints that require it; set by the hook of `server/access.ts`. */
    actor(): Actor
    /** The name of the user who is signed in or has just signed in, for the log; otherwise undefined. */
    username: string | undefined
  }
}

/**
 * Checks access to every route and applies the rate limits (contract/README.md#sessions). A route that declares no
 * access stops the program at its start.
 */
export function guardAccess(
  app: App,
  { auth, proof, limits }: { auth: Auth; proof: Proof; limits: Quotas },
): void {
  app.decorateRequest('actor', () => {
    throw new Problem('auth.required')
  })
  app.decorateRequest('username')
  app.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {}
    if (!endpoint) throw new Error(`${route.method} ${route.url} declares no access`)
    if (endpoint.body && !endpoint.maxBodyBytes) {
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
  if (!endpoint || endpoint.isUnlimited) return
  const actor = endpoint.access === 'public' ? undefined : authenticate(auth, request, endpoint)
  if (!actor) limits.anonymous.take(networkOf(request.ip ?? ''), requestCost(request.url))
  if (endpoint.access === 'public') return
  if (!actor) throw new Problem('auth.required')
  request.username = actor.user.username
  limits.users.take(String(actor.user.id))
  if (!mayCall(endpoint, actor, request)) throw new Problem('auth.forbidden')
  // An arrow function, so that a handler may destructure the request: `({ actor }) => actor()`.
  request.actor = () => actor
  if (auth.isStale(actor)) reply.header('x-renew-token', 'true')
}

/**
 * Counts a request for the quota that its contract entry names, until the response is sent or the connection closes.
 */
function countQuotas(app: App, limits: Quotas): void {
  const permits = new WeakMap<FastifyRequest, Disposable>()
  app.addHook('preHandler', async (request, reply) => {
    const { endpoint } = request.routeOptions.config
    if (!endpoint?.quota) return
    const permit = limits[endpoint.quota].acquireNow(String(request.actor().user.id))
    permits.set(request, permit)
    reply.raw.once('close', () => permit[Symbol.dispose]())
  })
  // Before the response is sent, so that a client that has received it can send the next request.
  app.addHook('onSend', async (request) => permits.get(request)?.[Symbol.dispose]())
}

/** Whether a signed-in user may call an endpoint at all. Compares the id as it is written, before it is parsed. */
function mayCall({ access }: Endpoint, { user }: Actor, { params }: FastifyRequest): boolean {
  if (access === 'signed-in' || user.perm.admin) return true
  return access === 'self' && (params as { id?: string }).id === String(user.id)
}

/** Checks access again after the body was received: in the meantime the session or permissions may have changed. */
function checkAfterBody(request: FastifyRequest): void {
  const { endpoint } = request.routeOptions.config
  if (endpoint?.body && endpoint.access !== 'public') request.actor().check([])
}

/**
 * Requires the proof of the password that an endpoint declares, after its body is valid
 * (contract/README.md#users-and-settings).
 */
async function requireProof(request: FastifyRequest, proof: Proof): Promise<void> {
  const { endpoint } = request.routeOptions.config
  if (!endpoint?.proof) return
  const actor = request.actor()
  const { id } = request.params as { id?: number }
  const body = request.body as (UserChangeInput & { current_password?: string }) | null | undefined
  if (endpoint.proof === 'unless-own-preferences' && isOwnPreferences(actor.user, id, body)) return
  await proof.check(actor, body?.current_password, { address: request.ip ?? '', ...peerOf(request) })
}

function authenticate(auth: Auth, request: FastifyRequest, endpoint: Endpoint): Actor | undefined {
  const token = bearerToken(request)
  if (token) return auth.findByToken(token)
  if (!endpoint.ticket) return undefined
  const given = (request.query as { auth?: unknown }).auth ?? cookieToken(request)
  if (typeof given !== 'string') return undefined
  const isToken = given.split('.').length === 3
  return isToken
    ? auth.findByToken(given)
    : auth.findByTicket(given, endpoint.ticket, routeResourcePath(request).path)
}
