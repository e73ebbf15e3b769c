import type { TokenUser } from '#contract/users.ts'
import { decodeJson, encodeJson, sameText, signature } from '#src/core/secret.ts'
import type { UserRecord } from '#src/core/state.ts'

/** What a token says (contract W4). Times are seconds since 1970. */
export interface Claims {
  iat: number
  exp: number
  /** The session, without which the token is nothing. */
  sid: string
  /** The how-manyeth token of the session this is. */
  serial: number
  user: TokenUser
}

const header = encodeJson({ alg: 'HS256', typ: 'JWT' })

/** Signs claims into a three-part token (RFC 7519, HS256). */
export function signToken(claims: Claims, key: Buffer): string {
  const body = `${header}.${encodeJson({ iss: 'Coffer', ...claims })}`
  return `${body}.${signature(body, key)}`
}

/** The claims of a token that we signed and that has not expired; undefined for anything else. */
export function readToken(token: string, key: Buffer, nowMs: number): Claims | undefined {
  const [head, payload, sign, more] = token.split('.')
  // The header is compared, never obeyed: a token cannot choose its own algorithm (RFC 8725 §3.1).
  if (head !== header || !payload || !sign || more !== undefined) return undefined
  if (!sameText(sign, signature(`${head}.${payload}`, key))) return undefined
  const claims = decodeJson(payload) as Claims | undefined
  return typeof claims?.exp === 'number' && claims.exp * 1000 > nowMs ? claims : undefined
}

/** The part of a user that a token carries (reference 2.2). */
export function tokenUser(user: UserRecord): TokenUser {
  const { scope: _scope, rules: _rules, ...rest } = user
  return rest
}
