import type { TokenUser } from '#contract/users.ts'
import type { Claims } from '#src/access/claims.ts'
import { isFuture } from '#src/core/clock.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import { decodeJson, encodeJson, equalsInConstantTime, hmac } from '#src/core/secret.ts'
import type { UserRecord } from '#src/state/state.ts'

const header = encodeJson({ alg: 'HS256', typ: 'JWT' })

/** Signs claims into a three-part token (RFC 7519, HS256). */
export function signToken(claims: Claims, key: Buffer): string {
  const body = `${header}.${encodeJson({ iss: 'Coffer', ...claims })}`
  return `${body}.${hmac(body, key)}`
}

/** Returns the claims if the signature is valid, the token is not from the future, and it has not expired. */
export function verifyToken(token: string, key: Buffer, nowMs: number): Claims | undefined {
  const [head, payload, mac, more] = token.split('.')
  // The header is only compared: a token cannot choose its own algorithm (RFC 8725 §3.1).
  if (head !== header || !payload || !mac || more !== undefined) return undefined
  if (!equalsInConstantTime(mac, hmac(`${head}.${payload}`, key))) return undefined
  const claims = decodeJson(payload) as Claims | undefined
  return claims && isCurrent(claims, nowMs) ? claims : undefined
}

function isCurrent({ iat, exp }: Claims, nowMs: number): boolean {
  if (typeof iat !== 'number' || typeof exp !== 'number') return false
  return exp * 1000 > nowMs && !isFuture(iat * 1000, nowMs)
}

// Clients send the same token with every request. The oldest entries are evicted.
const mostKnown = 1000

/**
 * Reads tokens like `readToken`, and caches those with a valid signature: the same text is valid again under the same
 * key. The expiry is checked on every call.
 */
export function createTokenReader(key: () => Buffer): (token: string, nowMs: number) => Claims | undefined {
  const known = new Map<string, Claims>()
  let lastKey: Buffer | undefined
  return (token, nowMs) => {
    const now = key()
    if (!lastKey?.equals(now)) known.clear()
    lastKey = now
    const claims = known.get(token)
    if (claims) return isCurrent(claims, nowMs) ? claims : undefined
    const read = verifyToken(token, now, nowMs)
    if (read) setBounded(known, token, read, mostKnown)
    return read
  }
}

/** The part of a user that a token carries (contract/compatibility.md#tokens). */
export function toTokenUser(user: UserRecord): TokenUser {
  const { scope: _scope, rules: _rules, folderViews: _views, ...rest } = user
  return rest
}
