import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'

/**
 * Refuses a request with two lines `Host`, as RFC 9112 §3.2 requires: a proxy may use one of them, and Node uses the
 * first.
 */
export function refuseSecondHost(app: App): void {
  app.addHook('onRequest', ({ raw: { rawHeaders } }, reply, next) => {
    if (!hasSecondHost(rawHeaders)) return next()
    reply.header('connection', 'close')
    next(new Problem('request.invalid', { field: 'host', reason: 'is there more than once' }))
  })
}

/** Whether names and values in turn contain `host` twice. Runs for every request, so that it makes no copies. */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}
