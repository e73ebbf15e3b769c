import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import type { App } from '#src/http/at.ts'

/** A connection on which a test writes the exact bytes. */
export interface Wire {
  socket: Socket
  /** Everything received so far, one character per byte. */
  seen(): string
  /** Waits until the received text matches, and returns the match. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  /** Waits until the server has closed the connection, and returns everything received. */
  closed(): Promise<string>
}

/** Makes the application listen on a free port of this machine and returns the port. */
export async function listen(app: App): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** Opens a connection to a port of this machine, or to the socket with that path. */
export async function dial(
  t: Test,
  to: number | string,
  options: { allowHalfOpen?: boolean } = {},
): Promise<Wire> {
  const where = typeof to === 'number' ? { port: to, host: '127.0.0.1' } : { path: to }
  const socket = connect({ ...where, ...options })
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {}) // some tests wait until the server closes the connection
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  return {
    socket,
    seen: () => text,
    until: (pattern) =>
      until(() => {
        const found = pattern.exec(text)
        if (!found && socket.destroyed) throw new Error(`closed after: ${text}`)
        return found
      }),
    async closed() {
      await until(() => socket.destroyed || socket.readableEnded)
      return text
    },
  }
}

/** Sends one request whose path is exactly as given, and returns the complete response. */
export async function exchange(
  to: number | string,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer; body: string }> {
  const where = typeof to === 'number' ? { host: '127.0.0.1', port: to } : { socketPath: to }
  const outgoing = request({ ...where, method, path, headers, agent: false })
  // The server may respond and close before all of a refused body is sent. `once` rejects until the response arrives.
  outgoing.on('error', () => {})
  outgoing.end(body)
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  const bytes = await buffer(reply)
  return { status: reply.statusCode ?? 0, headers: reply.headers, bytes, body: bytes.toString() }
}

/** Far more than the slowest machine needs. A wait without a limit would end only with the time limit of the file. */
const longestWaitMs = 180_000

/**
 * Calls `look` repeatedly until it returns a truthy value.
 *
 * @throws Error with the code of `look` when it has not returned one for three minutes.
 */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const start = performance.now()
  while (performance.now() - start < longestWaitMs) {
    const found = await look()
    if (found) return found
    await setTimeout(5)
  }
  throw new Error(`three minutes were not enough for ${look}`)
}

/** The number of descriptors that this process has open. */
export async function openDescriptors(): Promise<number> {
  return (await readdir('/proc/self/fd')).length
}
