import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { password } from '#src/testing/start.ts'
import { dial } from '#src/testing/wire.ts'
import { contentsOf } from './unpack.ts'
import type { Who } from './world.ts'

/** One answer, whole. */
export interface Answer {
  /** Who asked for what. */
  asked: string
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

/** What a request carries besides its address. */
export interface Carried {
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
  /** Sent as JSON. */
  json?: unknown
}

/** Requests over fresh connections, their addresses sent as they are written, and a memory of all that was answered. */
export function createLine(port: number) {
  const tokens = new Map<Who, string>()
  let heard: { asked: string; status: number; said: string }[] = []

  function note({ asked, status, headers, body }: Omit<Answer, 'text'>): void {
    const said = [
      JSON.stringify(headers),
      body.toString('latin1'),
      ...contentsOf(headers['content-type'], body),
    ]
    heard.push({ asked, status, said: said.join('\n') })
  }

  /** The token of somebody, who signs in the first time. */
  async function token(who: Who): Promise<string> {
    const known = tokens.get(who)
    if (known) return known
    const { status, text } = await exchange(port, 'POST', '/api/login', {
      json: { username: who, password },
    })
    if (status !== 200) throw new Error(`sign-in of ${who}: ${text}`)
    tokens.set(who, text)
    return text
  }

  return {
    token,
    heard: () => heard,
    forget: () => {
      heard = []
    },
    /** Makes everybody sign in anew the next time they ask. */
    signOut: () => tokens.clear(),

    /** One request as `who`. */
    async ask(who: Who, method: string, path: string, carried: Carried = {}): Promise<Answer> {
      const own = who ? { 'x-auth': await token(who) } : {}
      const headers = { ...own, ...carried.headers }
      const asked = `${who || 'a stranger'}: ${method} ${path}`
      const answer = { asked, ...(await exchange(port, method, path, { ...carried, headers })) }
      note(answer)
      return answer
    },

    /** Sends `text` byte for byte on its own connection and answers all that comes until the server closes it. */
    async raw(t: Test, text: string | Buffer): Promise<string> {
      const wire = await dial(t, port)
      wire.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text)
      const said = await wire.closed()
      wire.socket.destroy()
      // Closed without a word is as good as refused.
      const status = said === '' ? 400 : Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0)
      note({
        asked: `raw: ${text.toString().slice(0, 80)}`,
        status,
        headers: {},
        body: Buffer.from(said, 'latin1'),
      })
      return said
    },
  }
}

async function exchange(
  port: number,
  method: string,
  path: string,
  carried: Carried,
): Promise<Omit<Answer, 'asked'>> {
  const { json, body = json === undefined ? undefined : JSON.stringify(json), headers = {} } = carried
  // Told for every method: the client would send some bodies without saying how long they are.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { ...length, ...headers },
    agent: false,
  })
  // The server may answer and close before all of a refused body is sent. Until the answer is here, `once` rejects.
  outgoing.on('error', () => {})
  outgoing.end(body)
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  const bytes = await buffer(reply)
  return { status: reply.statusCode ?? 0, headers: reply.headers, body: bytes, text: bytes.toString() }
}
