import type { Stats } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '#src/auth/actor.ts'
import { passes, type Recheck } from '#src/core/recheck.ts'
import { isUnchanged, smallFileBytes } from '#src/files/paths/warm-files.ts'
import { hijackReply } from './hijack.ts'
import { abortWhenRevoked } from './limits/revocation.ts'

declare module 'fastify' {
  interface FastifyInstance {
    recentReplies: ReturnType<typeof createRecentReplies>
  }
}

// A folder above a file can be replaced without a change of the file: only another look-up of the whole path shows it.
const maxAgeMs = 1000
const maxBytes = 8 * 1024 * 1024
const maxReplies = 1024
// A longer address has a longer query than the page ever sends.
const maxUrlLength = 1024
// File systems count time in steps of up to 2 s, by the clock of the computer. A file that changed just now may change
// again within the same step.
const settledMs = 3000

/** A file whose small reply may be sent again. */
export interface RepliedFile {
  /** Its real path. No symbolic link led there. */
  real: string
  stats: Stats
  /** Who asked for it. */
  person: Principal
  /** Creates the check that the user may still read the file, for a client that reads slowly. */
  recheckFor: (person: Principal) => Recheck
}

interface RecentReply extends Omit<RepliedFile, 'person'> {
  readonly user: Principal['user']
  readonly rules: Principal['rules']
  readonly headers: Record<string, string | number>
  readonly body: Buffer
  readonly at: number
}

/**
 * Small replies about files, kept for a second. While a file that many clients want is neither changed nor moved, and the
 * user's account and rules are the same, the same request of that user gets the same reply: for one look at the file
 * instead of opening, checking and reading it. Sessions, rate limits and permissions are checked before. Replies to
 * visitors of shares are not kept.
 */
export function createRecentReplies() {
  const kept = new Map<string, RecentReply>()
  let bytes = 0
  let expiry: ReturnType<typeof setTimeout> | undefined

  const forget = (key: string) => {
    bytes -= kept.get(key)?.body.length ?? 0
    kept.delete(key)
  }

  /** Drops what is too old, and the oldest replies when there are too many. The map is in the order of time. */
  const trim = () => {
    const limit = performance.now() - maxAgeMs
    for (const [key, { at }] of kept) {
      if (at > limit && kept.size <= maxReplies && bytes <= maxBytes) break
      forget(key)
    }
    expiry = kept.size > 0 ? (expiry?.refresh() ?? setTimeout(expire, maxAgeMs).unref()) : undefined
  }
  const expire = () => {
    expiry = undefined
    trim()
  }

  const find = (request: FastifyRequest, person: Principal): RecentReply | undefined => {
    const reply = kept.get(keyOf(request, person))
    if (!reply) return undefined
    const isValid =
      performance.now() - reply.at <= maxAgeMs &&
      reply.user === person.user &&
      reply.rules === person.rules &&
      isUnchanged(reply.real, reply.stats)
    if (isValid) return reply
    forget(keyOf(request, person))
    return undefined
  }

  let sent = 0
  return {
    /** How much is kept now, and how many replies were sent again. */
    get usage() {
      return { replies: kept.size, bytes, sent }
    },

    /** Sends the reply again that the same request got within the last second. Returns whether there was one. */
    send(request: FastifyRequest, reply: FastifyReply): boolean {
      if (kept.size === 0 || !isPlain(request)) return false
      const person = request.actor()
      const known = find(request, person)
      if (!known) return false
      sent++
      reply.headers(known.headers)
      sendBody(reply, known.body, () => passes(known.recheckFor(person)))
      return true
    },

    /** Keeps a reply with status 200. `headers` are those that depend on the file alone. */
    keep(
      request: FastifyRequest,
      file: RepliedFile,
      { headers, body }: Pick<RecentReply, 'headers' | 'body'>,
    ): void {
      const { person, ...rest } = file
      const { stats } = rest
      // Who a visitor is depends on the share, its password and a token: their replies are not kept.
      if (person.quotaOwner.share !== undefined) return
      const isSettled = Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) > settledMs
      if (!isSettled || body.length > smallFileBytes || !isPlain(request)) return
      const { user, rules } = person
      const key = keyOf(request, person)
      forget(key)
      kept.set(key, { ...rest, user, rules, headers, body, at: performance.now() })
      bytes += body.length
      trim()
    },
  }
}

/** Sends a small body in one piece: with its headers, in one system call. */
export function sendBody(reply: FastifyReply, body: Buffer, isAllowed: () => boolean): void {
  const out = hijackReply(reply)
  out.end(body)
  // A client that does not read keeps the body in the memory of the server.
  if (out.socket?.writableLength) abortWhenRevoked(out, isAllowed)
}

/** Whether the reply depends on nothing but the user, the address and the file. */
function isPlain({ method, url, headers }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    url.length <= maxUrlLength &&
    headers.range === undefined &&
    headers['if-match'] === undefined &&
    headers['if-none-match'] === undefined &&
    headers['if-modified-since'] === undefined &&
    headers['if-unmodified-since'] === undefined &&
    headers['x-encoding'] === undefined
  )
}

function keyOf({ url }: FastifyRequest, { quotaOwner }: Principal): string {
  return `${quotaOwner.key} ${url}`
}
