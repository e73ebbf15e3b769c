import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { buffer } from 'node:stream/consumers'

/** A complete response. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  /** Parses the body as JSON. The caller checks that it has the type `T`. */
  json<T>(): T
}

/** The headers and the body of a request. An object is sent as JSON. */
export interface Extra {
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer | object
}

/** Sends a request. The path after the base URL is sent exactly as given. */
export type Call = (method: string, path: string, extra?: Extra) => Promise<Reply>

/** Sends requests to one server, over few connections. `close` closes them. */
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
      // Node does not set the length of a DELETE body.
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

/** A `Call` that sends a token as clients of File Browser do. */
export function withToken(call: Call, token: string): Call {
  return (method, path, extra = {}) =>
    call(method, path, { ...extra, headers: { 'X-Auth': token, ...extra.headers } })
}
