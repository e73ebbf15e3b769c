import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Clock } from '#src/core/clock.ts'
import { version } from '#src/core/version.ts'
import { retryAfterMs } from '../deliveries/retries.ts'
import { type AddressCheck, hostOf, urlFault } from './allowed-addresses.ts'
import { signedHeaders } from './signature.ts'

interface Resolved {
  address: string
  family: number
}

interface SenderOptions {
  check: AddressCheck
  clock: Clock
  /** Looks up a name. @throws Error when there is none. */
  resolve?: (host: string) => Promise<Resolved[]>
  timeoutMs?: number
}

/** The answer of a receiver: only its status, because the user must not read what the server can reach. */
type Answer =
  | { status: number; waitMs: number | undefined }
  | { status?: undefined; reason: 'address' | 'unreachable' }

const standardTimeoutMs = 15_000

/**
 * Sends a message to the webhook of a user. Connects only to the addresses that were checked: a name that is looked up a
 * second time may have another one. Follows no redirect, and reads no body.
 */
export function createWebhookSender({
  check,
  clock,
  resolve = (host) => lookup(host, { all: true }),
  timeoutMs = standardTimeoutMs,
}: SenderOptions) {
  /** The addresses of a host. Undefined: it has none, or one of them is not allowed. */
  async function addressesOf(host: string): Promise<Resolved[] | undefined> {
    const family = isIP(host)
    const found = family ? [{ address: host, family }] : await resolve(host).catch(() => [])
    const isAllowed = found.length > 0 && found.every(({ address }) => check.allows(host, address))
    return isAllowed ? found : undefined
  }

  return async (
    { url: text, secret }: { url: string; secret: string },
    { id, body }: { id: string; body: string },
    stopping: AbortSignal,
  ): Promise<Answer> => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
    // The option may have changed since the address was set.
    if (urlFault(text, check) !== undefined) return { reason: 'address' }
    const url = new URL(text)
    const addresses = await unlessAborted(addressesOf(hostOf(url)), signal)
    if (addresses === 'late') return { reason: 'unreachable' }
    if (!addresses) return { reason: 'address' }
    const bytes = Buffer.from(body)
    const headers = {
      ...signedHeaders(secret, { id, time: clock(), body: bytes }),
      'content-type': 'application/json',
      'content-length': bytes.length,
      'user-agent': `Coffer/${version}`,
    }
    try {
      return await post(url, { headers, lookup: fixedLookup(addresses), signal }, { bytes, now: clock() })
    } catch {
      return { reason: 'unreachable' }
    }
  }
}

/** Sends the request, and drops the connection when the headers of the response are there. */
async function post(
  url: URL,
  options: RequestOptions,
  { bytes, now }: { bytes: Buffer; now: number },
): Promise<Answer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const outgoing = send(url, { ...options, method: 'POST', agent: false })
  try {
    outgoing.end(bytes)
    // A connection may end without an error and without a response, as after the status 101.
    const closed = once(outgoing, 'close').then(() => Promise.reject(new Error('no response')))
    const response = await Promise.race([
      once(outgoing, 'response') as Promise<[IncomingMessage]>,
      closed,
    ]).then(([first]) => first)
    return {
      status: response.statusCode ?? 0,
      waitMs: retryAfterMs(response.headers['retry-after'], now),
    }
  } finally {
    // An error of the connection after this is of no interest, but would end the program without a listener.
    outgoing.on('error', () => {})
    outgoing.destroy()
  }
}

/** Returns these addresses for each name, whatever the system would answer now. */
function fixedLookup(addresses: readonly Resolved[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

/** Waits for `work`, or until the signal aborts. A look-up cannot be aborted itself. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'late'> {
  if (signal.aborted) return 'late'
  const { promise: aborted, resolve } = Promise.withResolvers<'late'>()
  const stop = () => resolve('late')
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
