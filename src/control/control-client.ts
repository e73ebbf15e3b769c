import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { type IncomingMessage, request as startRequest } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { CommandProblem, errnoOf, StartupProblem } from '#src/core/problem.ts'
import { controlSocketPath, inputHeader, jsonType, streamType } from './control-path.ts'

/** A connection to the running server. */
export interface ControlClient extends AsyncDisposable {
  /**
   * Runs a control call in the server. Returns its result, or a stream of bytes.
   *
   * @throws CommandProblem, StartupProblem with the message of the server.
   */
  call(name: string, input: unknown, body?: Readable): Promise<unknown>
}

/**
 * Connects to the server that uses the state beside `folder`. Undefined: no server runs.
 *
 * @throws StartupProblem when the socket belongs to another user.
 */
export async function connectControl(folder: string): Promise<ControlClient | undefined> {
  if (process.platform === 'win32') return undefined
  const handle = await open(folder, constants.O_RDONLY).catch(refuseDenied(folder))
  if (!handle) return undefined
  const socketPath = controlSocketPath(folder, handle.fd)
  const errno = await probe(socketPath)
  if (errno !== undefined) await handle.close()
  if (errno === 'EACCES') refuseDenied(folder)({ code: errno })
  if (errno !== undefined) return undefined
  return {
    [Symbol.asyncDispose]: () => handle.close(),
    async call(name, input, body) {
      const response = await send(socketPath, { name, input, body })
      if (response.statusCode === 200 && response.headers['content-type'] === streamType) return response
      const answer = (await json(response).catch(failStopped)) as {
        result?: unknown
        message?: string
        isUsage?: boolean
      }
      if (response.statusCode === 200) return answer.result
      throw new (answer.isUsage ? StartupProblem : CommandProblem)(answer.message ?? 'the server failed')
    },
  }
}

function refuseDenied(folder: string): (error: unknown) => FileHandle | undefined {
  return (error) => {
    const errno = errnoOf(error)
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined
    throw new StartupProblem(
      `The state in ${folder} belongs to another user (${errno}): run this command as that user, for example with sudo -u.`,
      { cause: error },
    )
  }
}

/** Tries to connect. Returns the error of the system; undefined when a server responds. */
function probe(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const peer = connect(path, () => {
      peer.destroy()
      resolve(undefined)
    })
    peer.on('error', (error) => resolve(errnoOf(error) ?? 'unknown'))
  })
}

function send(
  socketPath: string,
  { name, input, body }: { name: string; input: unknown; body: Readable | undefined },
): Promise<IncomingMessage> {
  const text = JSON.stringify(input)
  const headers = body
    ? { 'content-type': streamType, [inputHeader]: Buffer.from(text).toString('base64') }
    : { 'content-type': jsonType }
  return new Promise((resolve, reject) => {
    const request = startRequest(
      { socketPath, path: `/${name}`, method: 'POST', headers, agent: false },
      resolve,
    )
    request.on('error', (error) => reject(stopped(error)))
    // A server that refuses the input may close the connection before it has read all of it. Its response counts.
    pipeline(body ?? Readable.from([text]), request).catch(() => {})
  })
}

function stopped(cause: unknown): CommandProblem {
  return new CommandProblem(
    'The server closed the connection before the command was done, because it stops or runs many commands: check what it has done, then try again.',
    { cause },
  )
}

function failStopped(cause: unknown): never {
  throw stopped(cause)
}
