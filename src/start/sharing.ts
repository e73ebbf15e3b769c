import type { LoginLimiter } from '#src/auth/login-limiter.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { createShareTracking } from '#src/shares/following/share-tracking.ts'
import { createShares } from '#src/shares/shares.ts'
import { createLinkUse } from '#src/shares/use/link-use.ts'
import type { Members } from '#src/shares/visiting/members.ts'
import { createShareAccess } from '#src/shares/visiting/share-access.ts'
import type { Store } from '#src/state/store.ts'
import type { createAccounts } from './accounts.ts'

interface SharingSources extends Pick<ReturnType<typeof createAccounts>, 'auth' | 'sessions'> {
  store: Store
  clock: Clock
  log: Logger
  database: Database
  attempts: LoginLimiter
  key: () => Buffer
}

/** Creates what makes shares, counts their use, follows their files, and opens them for visitors. */
export function createSharing({ auth, sessions, attempts, key, ...sources }: SharingSources) {
  const { store, clock } = sources
  const isKnown = (hash: string) => store.current.link(hash) !== undefined
  const ownerOf = auth.personOf
  const linkUse = createLinkUse({ ...sources, key, isKnown })
  const shares = createShares({ store, clock, use: linkUse, ownerOf })
  const members: Members = {
    sessionOf: (token) => auth.findByToken(token)?.session.id,
    userOf: (session) => sessions.alive(session)?.userId,
  }
  const visiting = { attempts, key, members, policy: store.current.sharing }
  return {
    linkUse,
    shares,
    following: createShareTracking(store, ownerOf),
    shareAccess: createShareAccess({ shares, use: linkUse, clock, ownerOf, ...visiting }),
  }
}
