// Sends requests at a bounded rate, and checks, times and counts the answers.
import { isEnding } from '../bench/run.ts'

/** A request and the answer that it must get. */
export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Undefined: 200. */
  readonly status?: number
}

export interface Answer {
  readonly bytes: Buffer
  readonly headers: Headers
}

/** What was counted since the last minute began, and the failures of the whole run. */
export interface Tally {
  requests: number
  failures: number
  timesMs: number[]
}

export type Client = ReturnType<typeof createClient>

// Slower answers count as failed.
const timeoutMs = 60_000
const mostPrinted = 20

/** Creates a client of the server on `port` that starts at most `perSecond` requests per second. */
export function createClient(port: number, perSecond: number) {
  const takeTurn = createPace(perSecond)
  const tally: Tally = { requests: 0, failures: 0, timesMs: [] }
  let printed = 0

  /** Waits for the turn of a request that `send` cannot send, and counts it. */
  async function begin(): Promise<void> {
    await takeTurn()
    tally.requests++
  }

  /** Sends a request. Returns the response as soon as its head has arrived. @throws Error for another status. */
  async function open(path: string, sent: Sent, signal: AbortSignal): Promise<Response> {
    await begin()
    return fetchExpected(`http://127.0.0.1:${port}${path}`, sent, signal)
  }

  /** Sends a request and reads the whole answer. @throws Error for another status. */
  async function send(path: string, sent: Sent = {}): Promise<Answer> {
    await begin()
    const beginMs = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const reply = await fetchExpected(`http://127.0.0.1:${port}${path}`, sent, signal)
    const bytes = Buffer.from(await reply.arrayBuffer())
    tally.timesMs.push(performance.now() - beginMs)
    return { bytes, headers: reply.headers }
  }

  return {
    port,
    tally,
    begin,
    open,
    send,
    /** Counts a failure. Prints it, but not more than some of them. */
    fail(what: string, error: unknown): void {
      if (isEnding()) return
      tally.failures++
      if (++printed <= mostPrinted) console.log(`  failed: ${what}: ${causeOf(error)}`)
    },
  }
}

async function fetchExpected(url: string, sent: Sent, signal: AbortSignal): Promise<Response> {
  const { method = 'GET', headers = {}, body, status = 200 } = sent
  const content = typeof body === 'string' || body === undefined ? body : new Uint8Array(body)
  const reply = await fetch(url, {
    method,
    headers,
    signal,
    ...(content !== undefined && { body: content }),
  })
  if (reply.status === status) return reply
  const text = (await reply.text()).slice(0, 200)
  throw new Error(`${method} ${new URL(url).pathname}: ${reply.status} instead of ${status}: ${text}`)
}

/** Returns a function that waits, so that its calls end at most `perSecond` times per second. */
function createPace(perSecond: number): () => Promise<void> {
  let nextMs = 0
  return async () => {
    const nowMs = performance.now()
    const turnMs = Math.max(nextMs, nowMs)
    nextMs = turnMs + 1000 / perSecond
    if (turnMs > nowMs) await new Promise((resolve) => setTimeout(resolve, turnMs - nowMs))
  }
}

/** `fetch` reports only "fetch failed", and keeps the reason in `cause`. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

/** @throws Error unless `claim` holds. */
export function check(claim: boolean, what: string): void {
  if (!claim) throw new Error(what)
}

/** Encodes the names of a path for an address. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
