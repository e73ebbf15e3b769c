import { constants } from 'node:fs'
import { chmod, open, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Logger } from '#src/core/log/log.ts'
import { CommandProblem, errnoOf, Problem, StartupProblem } from '#src/core/problem.ts'
import { type ControlCalls, runControlCall } from './control-call.ts'
import { controlSocketPath, inputHeader, jsonType, streamType } from './control-path.ts'

// The commands of one operator. Further connections are closed.
const maxConnections = 64
// A users export of a large instance. Streams have no limit here.
const maxInputBytes = 64 * 1024 * 1024
// A restore may send a large backup over a slow disk.
const requestTimeoutMs = 60 * 60_000

/**
 * Opens the socket through which commands on this machine reach the running server: the file `control` in the folder
 * beside the state file. The mode of the folder is 0700 and of the socket 0600, so that only the user of the server and
 * the superuser can connect. The caller holds the lock of the state.
 *
 * Without the socket, the server works, and commands must wait until it stops. So an error is only logged. Windows has no
 * such sockets.
 */
export async function openControl(
  folder: string,
  { calls, log }: { calls: ControlCalls; log: Logger },
): Promise<AsyncDisposable> {
  if (process.platform === 'win32') return { [Symbol.asyncDispose]: async () => {} }
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    void answer(calls, request, response).catch((err) => {
      response.destroy()
      // The command was interrupted.
      if (!request.destroyed) log.error({ err }, 'a command of the control socket failed')
    })
  })
  server.maxConnections = maxConnections
  const handle = await open(folder, constants.O_RDONLY)
  const path = controlSocketPath(folder, handle.fd)
  try {
    // The lock is held, so that this can only be the socket of a killed process.
    await rm(path, { force: true })
    await listenPrivately(server, path)
  } catch (error) {
    log.warn(
      { errno: errnoOf(error) },
      'the server cannot create its control socket; commands such as coffer users work only while it is stopped',
    )
  }
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await handle.close()
    },
  }

  async function answer(
    all: ControlCalls,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const leaving = new AbortController()
    response.on('close', () => leaving.abort())
    const result = await runRequest(all, request, leaving.signal).catch((error: unknown) =>
      refuse(error, request, response),
    )
    if (response.headersSent || response.destroyed) return
    if (result instanceof Readable) {
      response.setHeader('Content-Type', streamType)
      await pipeline(result, response, { signal: leaving.signal })
      return
    }
    response.setHeader('Content-Type', jsonType)
    response.end(JSON.stringify({ result }))
  }

  /**
   * Sends the reason, then reads the rest of the request: a connection that closes with unread data is an error for the
   * client, which may then lose the reason.
   */
  async function refuse(error: unknown, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isExpected = [Problem, CommandProblem, StartupProblem].some((kind) => error instanceof kind)
    if (!isExpected) log.error({ err: error }, 'a command of the control socket failed')
    const message = isExpected ? (error as Error).message : 'the server failed; see the log for details'
    const isUsage = error instanceof StartupProblem
    const body = Buffer.from(JSON.stringify({ message, isUsage }))
    // With the length, the client knows that it has everything. It closes the connection then.
    const headers = { 'Content-Type': jsonType, 'Content-Length': body.length }
    response.writeHead(isExpected ? 422 : 500, headers).write(body)
    await discard(request).catch(() => {}) // the client has gone
    response.end()
  }
}

async function runRequest(
  calls: ControlCalls,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<unknown> {
  const name = request.url?.slice(1) ?? ''
  const isStream = request.headers['content-type'] === streamType
  const input = isStream ? JSON.parse(headerOf(request)) : await json(limited(request))
  const body = isStream ? request : Readable.from([])
  return runControlCall(calls, name, { input, body, signal })
}

/** Reads the rest of a request. */
async function discard(request: IncomingMessage): Promise<void> {
  for await (const _chunk of request.iterator({ destroyOnReturn: false })) {
    // It is not needed.
  }
}

function headerOf(request: IncomingMessage): string {
  const value = request.headers[inputHeader]
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '{}'
}

/** @throws Problem `request.large`. */
async function* limited(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  let bytes = 0
  // The connection stays open for the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > maxInputBytes) throw new Problem('request.large', { limit: maxInputBytes })
    yield chunk
  }
}

/** No other user can connect before the mode is set, because the folder has the mode 0700. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  await chmod(path, 0o600)
  server.unref()
}
