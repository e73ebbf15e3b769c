import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { buffer } from 'node:stream/consumers'

/** A whole answer. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  /** The body as JSON; what it is, is the caller's claim to prove. */
  json<T>(): T
}

/** What goes with a request. An object is sent as JSON. */
export interface Extra {
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer | object
}

/** Sends a request whose path, from the base address on, goes out exactly as it is written. */
export type Call = (method: string, path: string, extra?: Extra) => Promise<Reply>

/** Requests to one server, over few connections; `close` ends them. */
export function connect(base: URL): { call: Call; close(): void } {
  const isTls = base.protocol === 'https:'
  const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 4 })
  const send = isTls ? requestHttps : requestHttp
  const prefix = base.pathname.replace(/\/+$/, '')
  const call: Call = async (method, path, { headers = {}, body } = {}) => {
    const sent = isPlain(body) ? body : JSON.stringify(body)
    const outgoing = send({
      method,
      agent,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port || (isTls ? 443 : 80),
      path: prefix + path,
      // Node gives the body of a DELETE no length by itself.
      headers: sent === undefined ? headers : { 'Content-Length': Buffer.byteLength(sent), ...headers },
    })
    outgoing.end(sent)
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    return replyOf(incoming, await buffer(incoming))
  }
  return { call, close: () => agent.destroy() }
}

function isPlain(body: Extra['body']): body is string | Buffer | undefined {
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
}

function replyOf({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): Reply {
  return {
    status: statusCode,
    headers,
    bytes,
    text: bytes.toString('utf8'),
    json: <T>() => JSON.parse(bytes.toString('utf8')) as T,
  }
}

/** A `Call` that carries a token as clients of File Browser do. */
export function withToken(call: Call, token: string): Call {
  return (method, path, extra = {}) =>
    call(method, path, { ...extra, headers: { 'X-Auth': token, ...extra.headers } })
}
