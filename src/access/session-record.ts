import type { TokenUser } from '#contract/users.ts'

/** A session: one device where a user is signed in. Times are milliseconds since 1970. */
export interface SessionRecord {
  id: string
  userId: number
  created: number
  lastUse: number
  device: string
  address: string
  /** When the user last proved the password; 0: never. Records of older versions lack it: then `created` counts. */
  proven?: number
  /**
   * Whether the client has sent `X-Encoding`, as File Browser's page does since 2.58. Such clients read search results
   * line by line (contract/README.md#search).
   */
  sendsEncoding?: boolean
}

/** The claims of a token (contract/README.md#sessions). Times are seconds since 1970. */
export interface Claims {
  iat: number
  exp: number
  /** The id of the session. The token is valid only while the session exists. */
  sid: string
  user: TokenUser
}
