import type { Audit } from '#src/audit/audit.ts'
import type { LoginLimiter } from '#src/auth/login-limiter.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { createShareTracking } from '#src/shares/following/share-tracking.ts'
import { createShares } from '#src/shares/shares.ts'
import type { Members } from '#src/shares/visiting/members.ts'
import { createShareAccess } from '#src/shares/visiting/share-access.ts'
import type { Store } from '#src/state/store.ts'
import type { createAccounts } from './accounts.ts'
import { createLinkServices } from './link-use.ts'

interface SharingSources extends Pick<ReturnType<typeof createAccounts>, 'auth' | 'sessions'> {
  store: Store
  clock: Clock
  log: Logger
  database: Database
  attempts: LoginLimiter
  key: () => Buffer
  audit: Audit
  /** Real path of the served folder. */
  root: string
}

/** Creates what makes shares, counts their use, follows their files, and opens them for visitors. */
export function createSharing({ auth, sessions, attempts, key, ...sources }: SharingSources) {
  const { store, clock } = sources
  const { current } = store
  const ownerOf = auth.personOf
  const links = createLinkServices({
    ...sources,
    key,
    personOf: ownerOf,
    isKnown: (hash) => current.link(hash) !== undefined,
    nameOf: (userId) => current.user(userId)?.username ?? '',
    mode: () => current.settings().audit?.downloads ?? 'links',
  })
  const { linkUse } = links
  const shares = createShares({ store, clock, use: linkUse, ownerOf })
  const members: Members = {
    sessionOf: (token) => auth.findByToken(token)?.session.id,
    userOf: (session) => sessions.alive(session)?.userId,
  }
  const visiting = { attempts, key, members, policy: current.sharing }
  return {
    ...links,
    shares,
    following: createShareTracking(store, ownerOf),
    shareAccess: createShareAccess({ shares, use: linkUse, clock, ownerOf, ...visiting }),
  }
}
