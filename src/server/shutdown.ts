import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The controllers that abort running requests, for those that can be aborted. */
    runningRequests: Set<AbortController>
    /** Aborts the running requests when the grace period is over. */
    abortRunning(): void
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
  app.addHook('onRequest', (_request, _reply, next) => {
    next(isClosing ? new Problem('server.stopping') : undefined)
  })
}
