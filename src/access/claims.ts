import type { TokenUser } from '#contract/users.ts'

/** The claims of a token (contract/README.md#sessions). Times are seconds since 1970. */
export interface Claims {
  iat: number
  exp: number
  /** The id of the session. The token is valid only while the session exists. */
  sid: string
  user: TokenUser
}
