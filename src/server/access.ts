import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import type { Actor } from '#src/access/principal.ts'
import type { Auth } from '#src/auth/auth.ts'
import type { Proof } from '#src/auth/proof.ts'
import type { Setup } from '#src/auth/setup.ts'
import type { Quotas } from '#src/core/concurrency/quotas.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import { noChanges } from '#src/files/changes/change.ts'
import type { App } from '#src/http/at.ts'
import { bearerToken, cookieToken, peerOf } from '#src/http/request-headers.ts'
import { routeResourcePath } from '#src/http/resource-path.ts'
import type { Operation } from '#src/operations/operation.ts'
import type { Operations } from '#src/operations/operations.ts'
import { isOnlyPassword, isOwnPreferences, type UserChangeInput } from '#src/users/users.policy.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
  interface FastifyRequest {
    /** The authenticated user. Only for endpoints that require it; set by the hook of `server/access.ts`. */
    actor(): Actor
    /** The name of the user who is signed in or has just signed in, for the log; otherwise undefined. */
    username: string | undefined
    /** The operation of the request. @throws Error for an endpoint that changes nothing. */
    operation(): Operation
    /** Whether the operation was recorded in the audit log although it has failed. */
    isRecorded: boolean
  }
}

/**
 * Checks access to every route and applies the rate limits (contract/README.md#sessions). A route that declares no
 * access stops the program at its start. Every request that changes something has an operation
 * (contract/README.md#operations).
 */
export function guardAccess(app: App, { proof, ...services }: Guards & { proof: Proof }): void {
  app.decorateRequest('actor', () => {
    throw new Problem('auth.required')
  })
  app.decorateRequest('username')
  app.decorateRequest('operation', () => {
    throw new Error('this endpoint changes nothing')
  })
  app.decorateRequest('isRecorded', false)
  app.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {}
    if (!endpoint) throw new Error(`${route.method} ${route.url} declares no access`)
    if (endpoint.body && !endpoint.maxBodyBytes) {
      throw new Error(`${route.method} ${route.url} declares no size of its body`)
    }
    const isReading = ['GET', 'HEAD'].includes(String(route.method))
    if (endpoint.access === 'admin' && !isReading && !endpoint.changesNothing && !endpoint.proof) {
      throw new Error(`${route.method} ${route.url} declares no proof`)
    }
  })
  // Hooks with a callback: a promise for each hook would take a tenth of the time of a small request.
  app.addHook('onRequest', (request, reply, next) => {
    const { endpoint } = request.routeOptions.config
    if (endpoint?.changes) {
      // Before access is checked: the user of the request needs the operation.
      const about = { kind: endpoint.changes, isAlwaysRecorded: endpoint.records === 'always' }
      const operation = services.operations.begin({ ...about, address: request.ip ?? '' })
      request.operation = () => operation
    }
    admit(request, reply, services)
    next()
  })
  app.addHook('preHandler', (request, _reply, next) => {
    checkAfterBody(request, services)
    next()
  })
  app.addHook('preHandler', (request, _reply, next) => {
    if (!request.routeOptions.config.endpoint?.proof) return next()
    requireProof(request, proof).then(() => next(), next)
  })
}

/** The services that decide whether a request is admitted. */
interface Guards {
  auth: Auth
  /** Undefined: the server is set up. */
  setup: Setup | undefined
  limits: Quotas
  operations: Pick<Operations, 'begin'>
}

/** @throws Problem when the request is not admitted. */
function admit(request: FastifyRequest, reply: FastifyReply, { auth, setup, limits }: Guards): void {
  const { endpoint } = request.routeOptions.config
  if (!endpoint) return
  if (!endpoint.beforeSetup && setup?.isPending()) throw new Problem('setup.needed')
  if (endpoint.isUnlimited) return
  const actor = endpoint.access === 'public' ? undefined : authenticate(auth, request, endpoint)
  if (!actor) limits.anonymous.take(networkOf(request.ip ?? ''), requestCost(request.url))
  if (endpoint.access === 'public') return
  if (!actor) throw new Problem('auth.required')
  auth.refuseOtherUser(actor, () => peerOf(request))
  request.username = actor.user.username
  const { user, session } = actor
  const who = { id: user.id, name: user.username }
  if (endpoint.changes) request.operation().by({ user: who, session: session.id, address: request.ip ?? '' })
  limits.users.take(String(actor.user.id))
  refuseCaller(endpoint, actor, request, auth.mustChangePassword(actor.user))
  // An arrow function, so that a handler may destructure the request: `({ actor }) => actor()`.
  request.actor = () => actor
  if (auth.isStale(actor)) reply.header('x-renew-token', 'true')
}

/** @throws Problem `auth.forbidden`, or `password.change` when the user must change the password first. */
function refuseCaller(endpoint: Endpoint, actor: Actor, request: FastifyRequest, mustChange: boolean): void {
  if (!mayCall(endpoint, actor, request)) throw new Problem('auth.forbidden')
  const isPossible = !mustChange || (endpoint.beforeNewPassword && isOwnAccount(actor, request))
  if (!isPossible) throw new Problem('password.change')
}

/** Whether a signed-in user may call an endpoint at all. Compares the id as it is written, before it is parsed. */
function mayCall({ access }: Endpoint, actor: Actor, request: FastifyRequest): boolean {
  if (access === 'signed-in' || actor.user.perm.admin) return true
  return access === 'self' && isOwnAccount(actor, request)
}

/** Whether a request names the user's own account in its address, or none. */
function isOwnAccount({ user }: Actor, { params }: FastifyRequest): boolean {
  const { id = String(user.id) } = params as { id?: string }
  return id === String(user.id)
}

/**
 * Checks access again after the body was received: in the meantime the session or permissions may have changed. A user
 * who must change the password can send only this change.
 */
function checkAfterBody(request: FastifyRequest, { auth }: Guards): void {
  const { endpoint } = request.routeOptions.config
  if (!endpoint?.body || endpoint.access === 'public') return
  const actor = request.actor()
  actor.check([])
  const change = request.body as UserChangeInput | null | undefined
  if (auth.mustChangePassword(actor.user) && !isOnlyPassword(change)) throw new Problem('password.change')
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
  const change = endpoint.changes ? request.operation() : noChanges
  if (token) return auth.findByToken(token, change)
  if (!endpoint.ticket) return undefined
  const given = (request.query as { auth?: unknown }).auth ?? cookieToken(request)
  if (typeof given !== 'string') return undefined
  const isToken = given.split('.').length === 3
  return isToken
    ? auth.findByToken(given, change)
    : auth.findByTicket(given, endpoint.ticket, routeResourcePath(request).path)
}

/**
 * Ends the operations when the routes have ended. A route that declares neither `changes` nor `changesNothing` stops the
 * program at its start, unless it is only for reading.
 */
export function endOperations(app: App): void {
  app.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {}
    const isReading = ['GET', 'HEAD'].includes(String(route.method))
    if (isReading || !endpoint || endpoint.changesNothing) return
    if (!endpoint.changes) throw new Error(`${route.method} ${route.url} declares no kind of operation`)
    const { handler } = route
    route.handler = async function (request, reply) {
      const operation = request.operation()
      // The response to a failed sign-in is the same for every user name.
      if (endpoint.access !== 'public') reply.header('x-operation', operation.id)
      try {
        const result = await handler.call(this, request, reply)
        settle(operation, undefined)
        return result
      } catch (error) {
        request.isRecorded = endpoint.records === 'always'
        settle(operation, error)
        throw error
      }
    }
  })
}

/** Ends the operation. Does not wait for the disk: the steps are recorded there already. */
function settle(operation: Operation, error: unknown): void {
  if (error === undefined) void operation.end()
  else void operation.end(error instanceof Problem ? error : new Problem('server.failed'))
}

// The disk queries of a request grow with the number of names in its path. This many names count as one request.
const namesPerRequest = 8

/** The cost of a URL for a client that has not signed in, in requests: long paths count as several. */
export function requestCost(url: string): number {
  const [path = ''] = url.split('?')
  return Math.max(1, Math.ceil((path.split(/\/|%2f/i).length - 1) / namesPerRequest))
}
