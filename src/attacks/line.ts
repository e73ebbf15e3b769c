import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Test } from 'tap'
import { password } from '#src/testing/start.ts'
import { dial, exchange } from '#src/testing/wire.ts'
import type { RecordedResponse } from './invariants.ts'
import { contentsOf } from './unpack.ts'
import type { UserName } from './world.ts'

/** One complete response. */
export interface TestResponse {
  /** The user and the request. */
  request: string
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

/** The parts of a request besides its address. */
export interface RequestOptions {
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
  /** Sent as JSON. */
  json?: unknown
}

/** Sends requests over fresh connections, with their addresses unchanged, and records all responses. */
export function createClient(port: number) {
  const tokens = new Map<UserName, string>()
  let responses: RecordedResponse[] = []

  function note({ request, status, headers, body }: Omit<TestResponse, 'text'>): void {
    const content = [
      JSON.stringify(headers),
      body.toString('latin1'),
      ...contentsOf(headers['content-type'], body),
    ]
    responses.push({ request, status, content: content.join('\n') })
  }

  /** The token of a user. Signs the user in at the first call. */
  async function token(user: UserName): Promise<string> {
    const known = tokens.get(user)
    if (known) return known
    const { status, text } = await send(port, 'POST', '/api/login', {
      json: { username: user, password },
    })
    if (status !== 200) throw new Error(`sign-in of ${user}: ${text}`)
    tokens.set(user, text)
    return text
  }

  return {
    token,
    responses: () => responses,
    forget: () => {
      responses = []
    },
    /** Makes every user sign in again at their next request. */
    signOut: () => tokens.clear(),

    /** Sends one request as `who`. */
    async ask(
      user: UserName,
      method: string,
      path: string,
      carried: RequestOptions = {},
    ): Promise<TestResponse> {
      const own = user ? { 'x-auth': await token(user) } : {}
      const headers = { ...own, ...carried.headers }
      const request = `${user || 'a stranger'}: ${method} ${path}`
      const response = { request, ...(await send(port, method, path, { ...carried, headers })) }
      note(response)
      return response
    },

    /** Sends `text` unchanged on its own connection. Returns everything that the server sends until it closes. */
    async raw(t: Test, text: string | Buffer): Promise<string> {
      const wire = await dial(t, port)
      wire.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text)
      const said = await wire.closed()
      wire.socket.destroy()
      // A connection closed without a response counts as a refusal.
      const status = said === '' ? 400 : Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0)
      note({
        request: `raw: ${text.toString().slice(0, 80)}`,
        status,
        headers: {},
        body: Buffer.from(said, 'latin1'),
      })
      return said
    },
  }
}

async function send(
  port: number,
  method: string,
  path: string,
  { json, body = json === undefined ? undefined : JSON.stringify(json), headers }: RequestOptions,
): Promise<Omit<TestResponse, 'request'>> {
  // Set for every method, because Node sends some bodies without their length.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = { headers: { ...length, ...headers }, ...(body !== undefined && { body }) }
  const { bytes, body: text, ...reply } = await exchange(port, method, path, sent)
  return { ...reply, body: bytes, text }
}
