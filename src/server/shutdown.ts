import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What stops the work of requests that are under way, if it can be refused in the middle. */
    underWay: Set<AbortController>
    /** Refuses what is under way when the time to finish is over. */
    breakOff(): void
  }
}

/** Refuses new requests from the moment on when the application closes; those that are under way may finish. */
export function refuseWhenClosing(app: App): void {
  const underWay = new Set<AbortController>()
  app.decorate('underWay', underWay)
  app.decorate('breakOff', () => {
    for (const one of underWay) one.abort(new Problem('server.stopping'))
  })
  let isEnding = false
  app.addHook('preClose', async () => {
    isEnding = true
  })
  app.addHook('onRequest', (_request, _reply, next) => {
    next(isEnding ? new Problem('server.stopping') : undefined)
  })
}
