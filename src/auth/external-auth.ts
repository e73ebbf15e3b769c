import type { Logger } from '#src/core/log/log.ts'
import { isLoopbackHost } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { checkUserName } from '#src/core/text/user-names.ts'
import type { Peer } from '#src/http/request-headers.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import type { Provisioning } from '#src/users/provisioning.ts'
import type { Users } from '#src/users/users.ts'

/**
 * Sign-in without a Coffer password: for everyone if authentication is off (`noauth`), or for the user whom a proxy
 * names. Only the configuration at the start of the server chooses between them.
 *
 * A name from the proxy matches an account only if both have exactly the same characters. The name is the bytes of the
 * header value, decoded as UTF-8, without surrounding spaces and tabs, which are not part of a value in HTTP. Case is
 * not folded, nothing is normalised and nothing else is trimmed: for the proxy, `ADMIN` and `admin` may be two users.
 *
 * @param options.isLoopbackOnly whether the server listens on the loopback interface only. Then a sign-in without password must
 *   have a loopback name in its `Host` header. Another name means that a foreign web page uses DNS rebinding.
 * @param options.authHeader name of the header in lower case; undefined: no proxy authenticates users
 * @param options.isTrustedPeer whether the headers of a peer are trusted
 */
export function createExternalAuth(options: {
  store: Store
  users: Users
  provisioning: Provisioning
  noauth: boolean
  isLoopbackOnly: boolean
  authHeader: string | undefined
  isTrustedPeer: (peer: string | undefined) => boolean
  log: Pick<Logger, 'warn'>
}) {
  const { users, noauth, isLoopbackOnly, authHeader, isTrustedPeer, log } = options

  /** The name that a trusted proxy gives for this request; undefined: none. */
  function namedByProxy({ peer, headers }: Peer): string | undefined {
    return authHeader && isTrustedPeer(peer) ? nameIn(headers, authHeader) : undefined
  }

  /**
   * Creates an account for a name from the proxy that has no account yet, if sign-up is on.
   *
   * @throws Problem `auth.wrong` if sign-up is off, `user.exists` when an account differs only in its spelling,
   *   `user.name` when an account cannot have exactly this name, and the problems of the provisioning.
   */
  async function createAccount(username: string): Promise<UserRecord> {
    const recheck = () => {
      if (!options.store.current.settings().signup) throw new Problem('auth.wrong')
    }
    const other = await users.findByName(username)
    if (other) warnOfSpelling(username, other.username)
    recheck()
    if (other) throw new Problem('user.exists')
    const stored = checkUserName(username)
    if (stored !== username) {
      warnOfSpelling(username, stored)
      throw new Problem('user.name')
    }
    // This password is never typed. It is long enough for every policy, and locked because the proxy authenticates.
    return options.provisioning.signUp({ username, password: randomId(192), lockPassword: true }, recheck)
  }

  function warnOfSpelling(given: string, account: string): void {
    log.warn(
      { given: visible(given), account: visible(account) },
      'sign-in refused: the user name from the proxy is spelled differently from the account; use the same spelling for both',
    )
  }

  function hasOwnHost({ peer, headers }: Peer): boolean {
    return !isLoopbackOnly || isTrustedPeer(peer) || isLoopbackHost(nameIn(headers, 'host') ?? '')
  }

  return {
    /** How users sign in. */
    method: noauth ? ('noauth' as const) : authHeader ? ('proxy' as const) : ('json' as const),

    /**
     * The user who sent the request; undefined if users sign in with a password.
     *
     * @throws Problem `auth.wrong` when the proxy names no user, `auth.host`, and the problems of the provisioning.
     */
    async authenticate({ peer, headers }: Peer): Promise<UserRecord | undefined> {
      if (noauth) {
        if (!hasOwnHost({ peer, headers })) throw new Problem('auth.host')
        return users.firstAdmin()
      }
      if (!authHeader) return undefined
      const name = namedByProxy({ peer, headers })
      if (name === undefined) throw new Problem('auth.wrong')
      return (await users.findByExactName(name)) ?? createAccount(name)
    },

    /** Whether the proxy names another user on this request. A request without a name, such as of a script, is none. */
    isOtherNamed(user: UserRecord, peer: Peer): boolean {
      const name = namedByProxy(peer)
      return name !== undefined && name !== user.username
    },

    /** Whether the proxy names `user` on this request. Without authentication always true. */
    isUserConfirmed: (user: UserRecord, peer: Peer): boolean =>
      noauth || namedByProxy(peer) === user.username,
  }
}

export type ExternalAuth = ReturnType<typeof createExternalAuth>

/** The name in one header. Rejects repeated or joined values, because a client may have sent one of them. */
function nameIn(headers: readonly string[], headerName: string): string | undefined {
  const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === headerName)
  const [value = ''] = values
  // Header values are bytes (RFC 9110 §5.5); proxies write names in UTF-8. The HTTP parser has trimmed the value.
  const name = Buffer.from(value, 'latin1').toString()
  return values.length === 1 && name !== '' && !/[,\ufffd]/.test(name) ? name : undefined
}

// A user name has at most 64 characters, but a header may have thousands.
const mostShown = 100

/**
 * Writes a name in printable ASCII, with all other characters escaped like `\u{ff21}`. The log then shows how two names
 * differ, and no name can forge a log line.
 */
function visible(name: string): string {
  const shown = [...name].slice(0, mostShown)
  const ascii = shown.map((char) =>
    /[!-[\]-~]/.test(char) ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
  return ascii.join('') + (shown.length < [...name].length ? '…' : '')
}
