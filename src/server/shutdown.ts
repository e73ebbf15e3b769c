import type { ServerResponse } from 'node:http'
import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The controllers that abort running requests, for those that can be aborted. */
    runningRequests: Set<AbortController>
    /** Aborts the running requests when the grace period is over. */
    abortRunning(): void
  }
  interface FastifyRequest {
    /** The response to this request. `requestSignal` needs to know when it is over. */
    response: ServerResponse
  }
}

/** Refuses new requests once the application is closing. Running requests may finish. */
export function refuseWhenClosing(app: App): void {
  const runningRequests = new Set<AbortController>()
  app.decorate('runningRequests', runningRequests)
  app.decorate('abortRunning', () => {
    for (const controller of runningRequests) controller.abort(new Problem('server.stopping'))
  })
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.decorateRequest('response')
  app.addHook('onRequest', (request, reply, next) => {
    request.response = reply.raw
    next(isClosing ? new Problem('server.stopping') : undefined)
  })
}
