import type { Version } from '#contract/history/kept.ts'
import { authorize } from '#src/access/authorize.ts'
import type { Actor, Principal } from '#src/access/principal.ts'
import type { ScanOwner } from '#src/core/database/scans.ts'
import { onPath, Problem } from '#src/core/problem.ts'
import { type OpenFile, openKept, type WaitOptions } from '#src/entries/open.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { pathOfKept } from '#src/files/kept/kept-access.ts'
import { modifiedOf } from '#src/files/listing/entry.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { KeptServices } from './kept-services.ts'
import { createKeptReader, type KeptRow } from './records/kept-rows.ts'

/** Maximum number of versions in a list. Thinning leaves about 100 of a file that changes every day. */
const mostListed = 1000

/** Creates the service for the old contents of files. */
export function createVersions({
  database,
  scans,
  stores,
  root,
  files,
  entries,
  nameOf,
  announceKept,
}: KeptServices) {
  const reader = createKeptReader(database)

  /** Opens the file. @throws Problem `path.folder`, and as `openPath`. */
  async function openCurrent(actor: Principal, path: UserPath): Promise<OpenPath & { jail: Jail }> {
    const jail = await actor.jail()
    const held = await openPath(jail, path)
    if (held.stats.isFile()) return { ...held, jail }
    await held.close()
    throw new Problem(held.stats.isDirectory() ? 'path.folder' : 'path.special', { path })
  }

  /** Whether the user may read the store where the version was. A file can leave a folder that the user may not read. */
  const isAllowed = (jail: Jail, row: KeptRow) => pathOfKept(jail, { root, was: wasAt(row) }) !== undefined

  /** A version of the file. @throws Problem `kept.unknown`. */
  async function find({ real, jail }: OpenPath & { jail: Jail }, id: string): Promise<KeptRow> {
    const row = await reader.find(id)
    const isOfFile = row?.kind === 'version' && row.path === servedPath(root, real)
    if (!row || !isOfFile || !isAllowed(jail, row)) throw new Problem('kept.unknown')
    return row
  }

  /** The version as in responses. Undefined: its content is gone, or it is the present content. */
  async function view(row: KeptRow, current: OpenPath): Promise<Version | undefined> {
    const stats = await (await stores.byKey(row.place))?.find(row.id)
    // A replaced folder may have had the name of the file.
    if (!stats?.isFile() || (stats.ino === current.stats.ino && stats.dev === current.stats.dev))
      return undefined
    return {
      id: row.id,
      replaced: modifiedOf({ mtimeMs: row.time }),
      modified: modifiedOf(stats),
      size: stats.size,
      by: nameOf(row.user),
    }
  }

  return {
    /** Lists the old contents of a file, the newest first. */
    list(actor: Principal, by: ScanOwner, path: UserPath): Promise<Version[]> {
      return scans.run(by, async (scan) => {
        await using current = await openCurrent(actor, path)
        const rows = await createKeptReader(scan).versions(servedPath(root, current.real), mostListed)
        const views: Version[] = []
        for (const row of rows) {
          await scan.pause()
          const one = isAllowed(current.jail, row) ? await view(row, current) : undefined
          if (one) views.push(one)
        }
        return views
      })
    },

    /** Opens an old content of a file. @throws Problem `kept.unknown`, `path.unknown`. */
    async open(
      actor: Principal,
      path: UserPath,
      { id, signal }: { id: string } & WaitOptions,
    ): Promise<OpenFile> {
      authorize(actor, 'read')
      await using current = await openCurrent(actor, path)
      const row = await find(current, id)
      const store = await stores.byKey(row.place)
      if (!store) throw new Problem('kept.unknown')
      return openKept({ files, actor, signal }, { ...current, store, id, path: current.spelled })
    },

    /** Gives a file an old content again. Its present content becomes a version. @throws Problem `kept.unknown`. */
    async restore(actor: Actor, path: UserPath, id: string): Promise<void> {
      authorize(actor, 'replace')
      const to = await openCurrent(actor, path)
      try {
        const row = await find(to, id)
        const item = { id, kind: row.kind, place: row.place, was: wasAt(row) }
        await entries.restore(actor, { ...item, to: to.path, whenTaken: 'replace' })
      } finally {
        await to.close()
      }
    },

    /**
     * Deletes an old content permanently.
     *
     * @returns the path of the file relative to the served folder
     * @throws Problem `kept.unknown`, `auth.forbidden`.
     */
    async remove(actor: Actor, path: UserPath, id: string): Promise<string> {
      authorize(actor, 'delete')
      await using current = await openCurrent(actor, path)
      const row = await find(current, id)
      const finish = await (await stores.byKey(row.place))?.condemn(id).catch(onPath(path))
      await announceKept({ deleted: [row] })
      await finish?.()
      return row.path
    },
  }
}

/** Where a version was when it was replaced. Versions of older databases: where their file is. */
function wasAt({ written, path }: KeptRow): string {
  return written ?? path
}
