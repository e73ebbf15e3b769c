import type { RecordedDownloads } from '#contract/history/audit.ts'
import type { BegunDownload, DownloadEnd, Principal } from '#src/access/principal.ts'
import type { Audit } from '#src/audit/audit.ts'
import { createDownloads } from '#src/audit/links/downloads.ts'
import { readLinkLog } from '#src/audit/links/link-rows.ts'
import { createUseRecorder, type UserDownload } from '#src/audit/record-uses.ts'
import type { LoginLimiter } from '#src/auth/login-limiter.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { plainAddress } from '#src/core/network.ts'
import { createShareTracking } from '#src/shares/following/share-tracking.ts'
import { createShares } from '#src/shares/shares.ts'
import { createLinkEvents } from '#src/shares/use/link-events.ts'
import { createLinkUse, type LinkDownload } from '#src/shares/use/link-use.ts'
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
    userOf(session) {
      const userId = sessions.alive(session)?.userId
      const user = userId === undefined ? undefined : current.user(userId)
      // As for all other requests, a made-up password must be changed first.
      return user && !auth.mustChangePassword(user) ? user.id : undefined
    },
  }
  const visiting = { attempts, key, members, policy: current.sharing }
  return {
    ...links,
    shares,
    following: createShareTracking(store, ownerOf),
    shareAccess: createShareAccess({ shares, use: linkUse, clock, ownerOf, ...visiting }),
  }
}

interface LinkUseSources {
  store: Pick<Store, 'onLinksRemoved'>
  /** Whether there is a share with this id. */
  isKnown(hash: string): boolean
  database: Database
  clock: Clock
  log: Logger
  key: () => Buffer
  audit: Audit
  personOf(userId: number): Principal | undefined
  /** Which downloads are recorded now. */
  mode(): RecordedDownloads
  /** The present name of a user; empty: it was deleted. */
  nameOf(userId: number): string
  /** Real path of the served folder. */
  root: string
}

/** Who downloads something in a session. */
type DownloadingUser = Omit<UserDownload, 'path'>

/** Creates what counts the use of shares, what tells it, and what records it and the downloads of users. */
function createLinkServices({ store, audit, mode, nameOf, personOf, root, ...base }: LinkUseSources) {
  const { clock, database } = base
  const linkEvents = createLinkEvents()
  const recorder = createUseRecorder({ audit, mode, nameOf, personOf, root })
  recorder.follow(linkEvents)
  const ofLinks = createDownloads<LinkDownload>(clock, (about, how) =>
    linkEvents.tell({ kind: 'download', time: clock(), ...about, ...how }),
  )
  const ofUsers = createDownloads(clock, recorder.ofUser)
  const linkUse = createLinkUse({
    ...base,
    events: linkEvents,
    downloads: ofLinks,
  })
  store.onLinksRemoved(linkUse.forget)
  return {
    linkEvents,
    linkUse,
    /** What the audit log knows about a share, the newest first. */
    linkLog: (hash: string, page: Parameters<typeof readLinkLog>[2]) => readLinkLog(database, hash, page),
    /** Tells and records the downloads that were broken off. Also happens by itself, every few seconds. */
    settleDownloads(): void {
      ofLinks.settle()
      ofUsers.settle()
    },
    /** Begins the record of a download of a user. Undefined: such downloads are not recorded. */
    beginUserDownload(
      { address, ...user }: DownloadingUser,
      { what, size, path }: BegunDownload,
    ): ((end: DownloadEnd) => void) | undefined {
      if (!recorder.hasUsers) return undefined
      const about = { ...user, address: plainAddress(address), path }
      // The etag that identifies a file contains no path.
      return ofUsers.begin({
        client: `${user.userId} ${about.address}`,
        what: `${path}\n${what}`,
        size,
        about,
      })
    },
    /** Waits until the audit log has everything that it was told until now. */
    async recorded(): Promise<void> {
      await recorder.written()
      await audit.written()
    },
    /** Tells and records all downloads that are not over, and waits until the audit log knows them. */
    async closeDownloads(): Promise<void> {
      ofLinks.close()
      ofUsers.close()
      await recorder.written()
    },
  }
}
