import { isLoopbackHost } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { UserRecord } from '#src/core/state.ts'
import type { Store } from '#src/core/store.ts'
import type { Provisioning } from '#src/users/provisioning.ts'
import type { Users } from '#src/users/users.ts'

/** What came with a request about whoever sent it. */
export interface Peer {
  /** Address of the other end of the connection, whatever headers say; undefined: it came through a unix socket. */
  peer: string | undefined
  /** Names and values by turns, none joined with another. */
  headers: readonly string[]
}

/**
 * Who comes in without a password of ours: everybody where the instance is open, or whom a proxy vouches for. Both are
 * chosen when the server is started and by nothing else.
 *
 * @param options.atHome whether only this machine reaches us. Then whoever comes in without a password must call it by its
 *   own name: a name that leads here from elsewhere is a page of the web that had it resolved anew (DNS rebinding).
 * @param options.authHeader in lower case; undefined: no proxy vouches
 * @param options.trusts whether the headers of a peer are believed
 */
export function createVouching(options: {
  store: Store
  users: Users
  provisioning: Provisioning
  noauth: boolean
  atHome: boolean
  authHeader: string | undefined
  trusts: (peer: string | undefined) => boolean
}) {
  const { users, noauth, atHome, authHeader, trusts } = options

  /** An account for somebody whom the proxy knows and we do not, where strangers may have one. */
  async function welcome(username: string): Promise<UserRecord> {
    if (!options.store.data.settings.signup) throw new Problem('auth.wrong')
    // Nobody ever types this password: long enough for every policy, and locked, for the proxy decides who comes in.
    return options.provisioning.signUp({ username, password: randomId(192), lockPassword: true })
  }

  function isCalledAsOurs({ peer, headers }: Peer): boolean {
    return !atHome || trusts(peer) || isLoopbackHost(nameIn(headers, 'host') ?? '')
  }

  return {
    /** How people sign in. */
    method: noauth ? ('noauth' as const) : authHeader ? ('proxy' as const) : ('json' as const),

    /**
     * Who asks; undefined where people sign in with a password.
     *
     * @throws Problem `auth.wrong` when nobody vouches for them, `auth.host`, and what the provisioning refuses.
     */
    async whoAsks({ peer, headers }: Peer): Promise<UserRecord | undefined> {
      if (noauth) {
        if (!isCalledAsOurs({ peer, headers })) throw new Problem('auth.host')
        return users.firstAdmin()
      }
      if (!authHeader) return undefined
      const name = trusts(peer) ? nameIn(headers, authHeader) : undefined
      if (name === undefined) throw new Problem('auth.wrong')
      return users.named(name) ?? welcome(name)
    },
  }
}

export type Vouching = ReturnType<typeof createVouching>

/** The name in the one header that has it; several, also joined into one, are none: who knows which a client has sent. */
function nameIn(headers: readonly string[], wanted: string): string | undefined {
  const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === wanted)
  const [value = ''] = values
  // Header values are bytes (RFC 9110 §5.5); proxies write names in UTF-8.
  const name = Buffer.from(value, 'latin1').toString().trim()
  return values.length === 1 && name !== '' && !/[,\ufffd]/.test(name) ? name : undefined
}
