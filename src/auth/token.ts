import type { TokenUser } from '#contract/users.ts'
import { setBounded } from '#src/core/bounded-map.ts'
import { isFuture } from '#src/core/clock.ts'
import { decodeJson, encodeJson, sameText, signature } from '#src/core/secret.ts'
import type { UserRecord } from '#src/core/state/state.ts'

/** What a token says (contract/README.md#sessions). Times are seconds since 1970. */
export interface Claims {
  iat: number
  exp: number
  /** The session, without which the token is nothing. */
  sid: string
  user: TokenUser
}

const header = encodeJson({ alg: 'HS256', typ: 'JWT' })

/** Signs claims into a three-part token (RFC 7519, HS256). */
export function signToken(claims: Claims, key: Buffer): string {
  const body = `${header}.${encodeJson({ iss: 'Coffer', ...claims })}`
  return `${body}.${signature(body, key)}`
}

/** The claims of a token that we signed in the past and that has not expired; undefined for anything else. */
export function readToken(token: string, key: Buffer, nowMs: number): Claims | undefined {
  const [head, payload, sign, more] = token.split('.')
  // The header is compared, never obeyed: a token cannot choose its own algorithm (RFC 8725 §3.1).
  if (head !== header || !payload || !sign || more !== undefined) return undefined
  if (!sameText(sign, signature(`${head}.${payload}`, key))) return undefined
  const claims = decodeJson(payload) as Claims | undefined
  return claims && isGood(claims, nowMs) ? claims : undefined
}

function isGood({ iat, exp }: Claims, nowMs: number): boolean {
  if (typeof iat !== 'number' || typeof exp !== 'number') return false
  return exp * 1000 > nowMs && !isFuture(iat * 1000, nowMs)
}

// Whoever is signed in asks again and again with the same token; the oldest give way.
const mostKnown = 1000

/**
 * Reads tokens as `readToken` does, and remembers those whose signature was good: the same text under the same key is good
 * again. When a token ends, and whether its session lives, is looked at each time.
 */
export function createTokenReader(key: () => Buffer): (token: string, nowMs: number) => Claims | undefined {
  const known = new Map<string, Claims>()
  let under: Buffer | undefined
  return (token, nowMs) => {
    const now = key()
    if (!under?.equals(now)) known.clear()
    under = now
    const claims = known.get(token)
    if (claims) return isGood(claims, nowMs) ? claims : undefined
    const read = readToken(token, now, nowMs)
    if (read) setBounded(known, token, read, mostKnown)
    return read
  }
}

/** The part of a user that a token carries (contract/compatibility.md#tokens). */
export function tokenUser(user: UserRecord): TokenUser {
  const { scope: _scope, rules: _rules, ...rest } = user
  return rest
}
