import type { Logger } from '#src/core/log.ts'
import { isLoopbackHost } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { UserRecord } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { checkName } from '#src/core/text/user-names.ts'
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
 * Sign-in without a password of ours: for everybody where the instance is open, or for users whom a proxy names. Both are
 * chosen when the server is started and by nothing else.
 *
 * A name from the proxy matches an account only if both have exactly the same characters: the bytes of the header value,
 * read as UTF-8, without the spaces and tabs around it, which are not part of a value in HTTP. Case is not folded, nothing
 * is normalised and nothing is trimmed: for the proxy `ADMIN` and `admin` may be two people.
 *
 * @param options.atHome whether only this machine reaches us. Then whoever comes in without a password must call it by its
 *   own name: a name that leads here from elsewhere is a page of the web that had it resolved anew (DNS rebinding).
 * @param options.authHeader in lower case; undefined: no proxy vouches
 * @param options.trusts whether the headers of a peer are believed
 */
export function createExternalAuth(options: {
  store: Store
  users: Users
  provisioning: Provisioning
  noauth: boolean
  atHome: boolean
  authHeader: string | undefined
  trusts: (peer: string | undefined) => boolean
  log: Pick<Logger, 'warn'>
}) {
  const { users, noauth, atHome, authHeader, trusts, log } = options

  /** The name that a trusted proxy gives for this request; undefined: none. */
  function namedByProxy({ peer, headers }: Peer): string | undefined {
    return authHeader && trusts(peer) ? nameIn(headers, authHeader) : undefined
  }

  /**
   * Makes an account for a name that the proxy knows and we do not, where sign-up is on.
   *
   * @throws Problem `auth.wrong` where it is off, `user.exists` when an account differs only in its spelling,
   *   `user.name` when an account cannot have exactly this name, and what the provisioning refuses.
   */
  async function welcome(username: string): Promise<UserRecord> {
    const recheck = () => {
      if (!options.store.data.settings.signup) throw new Problem('auth.wrong')
    }
    const other = users.named(username)
    if (other) warnOfSpelling(username, other.username)
    recheck()
    if (other) throw new Problem('user.exists')
    const stored = checkName(username)
    if (stored !== username) {
      warnOfSpelling(username, stored)
      throw new Problem('user.name')
    }
    // Nobody ever types this password: long enough for every policy, and locked, for the proxy decides who comes in.
    return options.provisioning.signUp({ username, password: randomId(192), lockPassword: true }, recheck)
  }

  function warnOfSpelling(given: string, account: string): void {
    log.warn(
      { given: visible(given), account: visible(account) },
      'sign-in refused: the proxy spells this user name differently from the account; spell both alike',
    )
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
      const name = namedByProxy({ peer, headers })
      if (name === undefined) throw new Problem('auth.wrong')
      return users.spelled(name) ?? welcome(name)
    },

    /** Whether a request comes from `user` as far as no password tells: everybody's does where the instance is open. */
    names: (user: UserRecord, peer: Peer): boolean => noauth || namedByProxy(peer) === user.username,
  }
}

export type ExternalAuth = ReturnType<typeof createExternalAuth>

/** The name in the one header that has it; several, also joined into one, are none: who knows which a client has sent. */
function nameIn(headers: readonly string[], wanted: string): string | undefined {
  const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === wanted)
  const [value = ''] = values
  // Header values are bytes (RFC 9110 §5.5); proxies write names in UTF-8. The HTTP parser has trimmed them.
  const name = Buffer.from(value, 'latin1').toString()
  return values.length === 1 && name !== '' && !/[,\ufffd]/.test(name) ? name : undefined
}

// A user name has at most 64 characters; a header may have thousands.
const mostShown = 100

/** A name in printable ASCII, everything else as in `\u{ff21}`: the log shows in what two names differ, and no name makes a line. */
function visible(name: string): string {
  const shown = [...name].slice(0, mostShown)
  const ascii = shown.map((char) =>
    /[!-[\]-~]/.test(char) ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
  return ascii.join('') + (shown.length < [...name].length ? '…' : '')
}
