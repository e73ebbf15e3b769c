import type { RecordedDownloads } from '#contract/history/audit.ts'
import type { Principal } from '#src/access/principal.ts'
import { realForRecord, servedPath } from '#src/files/paths/path-access.ts'
import type { LinkEvent, LinkEvents } from '#src/shares/use/link-events.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Audit } from './audit.ts'
import { type AuditEntry, type AuditWho, serverItself } from './entry.ts'
import type { Downloaded } from './links/downloads.ts'
import type { LinkPart } from './links/link-rows.ts'

/** A download of a signed-in user. */
export interface UserDownload {
  userId: number
  session: string | null
  address: string
  /** In the scope of the user. */
  path: string
}

interface UseSources {
  audit: Pick<Audit, 'noteUse'>
  /** Which downloads are recorded now. */
  mode(): RecordedDownloads
  /** The present name of a user; empty: it was deleted. */
  nameOf(userId: number): string
  /** The user with this id. Undefined: it was deleted. */
  personOf(userId: number): Principal | undefined
  /** Real path of the served folder. */
  root: string
}

/**
 * Records visits and downloads in the audit log, as far as its settings say. What visitors send is in the records of their
 * operations.
 */
export function createUseRecorder({ audit, mode, nameOf, personOf, root }: UseSources) {
  const pending = new Set<Promise<void>>()

  /** Records something at a path in the scope of a user, in the background. */
  function record(userId: number, path: string, entry: AuditEntry): void {
    const recording = servedIn(userId, path).then((served) =>
      audit.noteUse({ ...entry, ...(served !== undefined && { paths: [{ path: served }] }) }),
    )
    pending.add(recording)
    void recording.finally(() => pending.delete(recording))
  }

  /** The path relative to the served folder. Undefined: the account or its folder is gone. */
  async function servedIn(userId: number, path: string): Promise<string | undefined> {
    const jail = await personOf(userId)
      ?.jail()
      .catch(() => undefined)
    return jail && servedPath(root, realForRecord(jail, path))
  }

  function linkOf({ hash, userID, path: shared }: ShareRecord, path: string): LinkPart {
    return { hash, owner: { id: userID, name: nameOf(userID) }, path: pathInShare(shared, path) }
  }

  function recordLink(event: LinkEvent): void {
    if (mode() === 'none') return
    const { share, address } = event
    const who = { ...serverItself, address }
    if (event.kind === 'visit')
      record(share.userID, share.path, {
        kind: 'open',
        outcome: 'done',
        who,
        link: linkOf(share, share.path),
      })
    if (event.kind === 'download')
      record(share.userID, event.path, { ...entryOf(event, who), link: linkOf(share, event.path) })
  }

  return {
    /** Records what happens at shares from now on. */
    follow: (events: Pick<LinkEvents, 'on'>) => events.on(recordLink),

    /** Whether downloads of signed-in users are recorded. */
    get hasUsers() {
      return mode() === 'all'
    },

    /** Records a download of a signed-in user. */
    ofUser({ userId, session, address, path }: UserDownload, how: Downloaded): void {
      const who = { userId, userName: nameOf(userId), session, address }
      record(userId, path, entryOf(how, who))
    },

    /** Waits for the records whose paths are not known yet. */
    written: () => Promise.all(pending),
  }
}

function entryOf({ bytes, isWhole }: Downloaded, who: AuditWho): AuditEntry {
  return { kind: 'download', outcome: isWhole ? 'done' : 'interrupted', who, bytes }
}

/** A path in the scope of the owner as visitors see it. `/`: the shared entry itself. */
export function pathInShare(shared: string, path: string): string {
  const rest = path.slice(shared === '/' ? 0 : shared.length)
  return rest === '' ? '/' : rest
}
