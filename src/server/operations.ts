import type { FastifyRequest } from 'fastify'
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

/**
 * Begins an operation for every request that changes something (contract/README.md#operations). Registered before access
 * is checked: the user of the request needs the operation.
 */
export function beginOperations(app: App, operations: Pick<Operations, 'begin'>): void {
  app.decorateRequest('operation', () => {
    throw new Error('this endpoint changes nothing')
  })
  app.decorateRequest('isRecorded', false)
  app.addHook('onRequest', (request, _reply, next) => {
    const { endpoint } = request.routeOptions.config
    if (endpoint?.changes) {
      const isAlwaysRecorded = endpoint.records === 'always'
      const operation = operations.begin({
        kind: endpoint.changes,
        address: request.ip ?? '',
        isAlwaysRecorded,
      })
      request.operation = () => operation
    }
    next()
  })
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

/** The operation of the request; undefined: the endpoint changes nothing. */
export function operationOf(request: FastifyRequest): Operation | undefined {
  return request.routeOptions.config.endpoint?.changes ? request.operation() : undefined
}

/** Ends the operation. Does not wait for the disk: the steps are recorded there already. */
function settle(operation: Operation, error: unknown): void {
  if (error === undefined) void operation.end()
  else void operation.end(error instanceof Problem ? error : new Problem('server.failed'))
}
