import Type from 'typebox'
import { type ControlCall, controlCall } from '#src/control/control-call.ts'
import type { Database } from '#src/core/database/database.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { allPages, createKeptReader, type KeptRow } from '#src/kept/records/kept-rows.ts'
import { type RebuildOptions, rebuildRows } from '#src/kept/records/rebuild.ts'

/** What the control calls of `coffer trash` need. */
export interface KeptSources extends Omit<RebuildOptions, 'database' | 'stores'> {
  database: Database
  stores: KeptStores
}

/** Maximum number of entries that are listed at once. */
const mostListed = 1000

/** The control calls of `coffer trash`. They see all entries. */
export function keptCalls(sources: KeptSources) {
  const { database, stores, announceKept } = sources
  const reader = createKeptReader(database)

  /** All entries, the newest first. */
  const entries = () =>
    allPages<KeptRow>(mostListed, (after) => reader.trash('/', { after, limit: mostListed }))

  /** Deletes all entries of disks that are there. Returns their number, and that of the others. */
  async function empty(): Promise<{ deleted: number; left: number }> {
    let [deleted, left] = [0, 0]
    for await (const row of entries()) {
      const store = await stores.byKey(row.place)
      if (!store) {
        left++
        continue
      }
      const finish = await store.condemn(row.id)
      await announceKept({ deleted: [row] })
      await finish?.()
      deleted++
    }
    return { deleted, left }
  }

  return {
    'trash/list': controlCall(
      Type.Object({ limit: Type.Integer({ minimum: 1, maximum: mostListed }) }),
      async ({ limit }) => {
        const rows = await reader.trash('/', { after: undefined, limit })
        const entries = rows.map(({ id, path, time, user_name: by, is_folder, size }) => {
          return { id, path, deleted: new Date(time).toISOString(), by, isDir: is_folder === 1, size }
        })
        return { entries, ...(await reader.trashTotal('/')) }
      },
    ),
    'trash/empty': controlCall(Type.Object({}), empty),
    'trash/rebuild': controlCall(Type.Object({}), () => rebuildRows(sources)),
  } satisfies Record<string, ControlCall<never, unknown>>
}
