import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { Problem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'
import type { Operation } from '#src/operations/operation.ts'
import type { Operations } from '#src/operations/operations.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation of the request. @throws Error for an endpoint that changes nothing. */
    operation(): Operation
    /** Whether the operation was recorded in the audit log although it has failed. */
    isRecorded: boolean
  }
}

/** Lets every request that changes something have an operation (contract/README.md#operations). */
export function addOperations(app: App): void {
  app.decorateRequest('operation', () => {
    throw new Error('this endpoint changes nothing')
  })
  app.decorateRequest('isRecorded', false)
}

/** Begins the operation of a request. Called before access is checked: the user of the request needs the operation. */
export function beginOperation(
  request: FastifyRequest,
  { changes, records }: Endpoint,
  operations: Pick<Operations, 'begin'>,
): void {
  if (!changes) return
  const isAlwaysRecorded = records === 'always'
  const operation = operations.begin({ kind: changes, address: request.ip ?? '', isAlwaysRecorded })
  request.operation = () => operation
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
