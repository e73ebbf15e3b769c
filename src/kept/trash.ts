import type { TrashList } from '#contract/history/kept.ts'
import { authorize, recheckOf } from '#src/access/authorize.ts'
import type { Actor, Principal } from '#src/access/principal.ts'
import type { ScanOwner } from '#src/core/database/scans.ts'
import { onPath, Problem } from '#src/core/problem.ts'
import { type OpenFile, openKept, type WaitOptions } from '#src/entries/open.ts'
import { checkKept, pathOfKept } from '#src/files/kept/kept-access.ts'
import type { KeptStore } from '#src/files/kept/kept-stores.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { childOf, nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { KeptServices } from './kept-services.ts'
import { createKeptReader, type KeptRow } from './records/kept-rows.ts'
import type { Shown } from './records/trash-slice.ts'
import { createTrashList, type TrashQuery } from './trash-list.ts'

// How many entries disappear at once when the trash is emptied. Each needs a descriptor.
const doneAtOnce = 16

/** Creates the service for the trash. Users see entries that were in their scope and that their rules allow. */
export function createTrash(tools: KeptServices) {
  const { database, stores, root, files, announceKept } = tools
  const reader = createKeptReader(database)
  const { list, visible } = createTrashList(tools)

  /** Finds an entry that the user may see. @throws Problem `kept.unknown`. */
  async function find(actor: Principal, id: string): Promise<Shown & { jail: Jail }> {
    const [row, jail] = await Promise.all([reader.find(id), actor.jail()])
    const path = row?.kind === 'trash' ? pathOfKept(jail, { root, was: row.path }) : undefined
    if (!row || path === undefined) throw new Problem('kept.unknown')
    return { row, path, jail }
  }

  /**
   * Returns the store of an entry. If another program has deleted its content, its row is deleted.
   *
   * @throws Problem `kept.unknown` when the content or the store is missing.
   */
  async function storeOf(row: KeptRow): Promise<KeptStore> {
    const store = await stores.byKey(row.place)
    if (!store) throw new Problem('kept.unknown')
    if (await store.find(row.id)) return store
    await announceKept({ deleted: [row] })
    throw new Problem('kept.unknown')
  }

  /** Hides an entry from users. Returns the function that deletes its content. Undefined if there is no content. */
  async function condemn(actor: Actor, { row, path, jail }: Shown & { jail: Jail }) {
    const store = await storeOf(row)
    if (row.is_folder) {
      const recheck = recheckOf(actor, 'delete', [path])
      const context = { jail, rules: actor.rules, recheck, workers: tools.workers(actor.quotaOwner.key) }
      await checkKept(context, { address: store.addressOf(row.id), was: path })
    }
    const finish = await store.condemn(row.id).catch(onPath(path))
    await announceKept({ deleted: [row] })
    return finish
  }

  return {
    /** Lists the trash, the newest first. @throws Problem `request.invalid`. */
    list: (actor: Principal, by: ScanOwner, query: TrashQuery): Promise<TrashList> => list(actor, by, query),

    /** Opens the content of a deleted file. @throws Problem `kept.unknown`, `path.folder`, `path.special`. */
    async open(actor: Principal, id: string, { signal }: WaitOptions): Promise<OpenFile> {
      authorize(actor, 'read')
      const { row, path, jail } = await find(actor, id)
      return openKept({ files, actor, signal }, { store: await storeOf(row), id, path, jail })
    },

    /**
     * Restores an entry, under a free name.
     *
     * @param to a folder; undefined: where the entry was
     * @returns its path
     * @throws Problem `kept.unknown`, and as `Transfers.restore`.
     */
    async restore(actor: Actor, id: string, to?: UserPath): Promise<UserPath> {
      const { row, path } = await find(actor, id)
      await storeOf(row)
      const target = to === undefined ? path : childOf(to, nameOf(path))
      const item = { id, kind: row.kind, place: row.place, was: row.path }
      return tools.entries.restore(actor, { ...item, to: target, whenTaken: 'rename' })
    },

    /**
     * Deletes an entry permanently. It is gone at once; its content is deleted when this resolves.
     *
     * @returns its path relative to the served folder
     * @throws Problem `kept.unknown`, `auth.forbidden`, `path.forbidden`.
     */
    async remove(actor: Actor, id: string): Promise<string> {
      authorize(actor, 'delete')
      const found = await find(actor, id)
      const finish = await condemn(actor, found)
      await finish?.()
      return found.row.path
    },

    /** Deletes all entries that the user sees and may delete. Returns their number. */
    async empty(actor: Actor, by: ScanOwner): Promise<number> {
      authorize(actor, 'delete')
      const jail = await actor.jail()
      const finishers: (() => Promise<void>)[] = []
      let deleted = 0
      try {
        for await (const batch of batches(visible(actor, by))) {
          actor.check([])
          authorize(actor, 'delete')
          const gone = batch.map((found) => condemn(actor, { ...found, jail }).catch(undefinedIfRefused))
          for (const finish of await Promise.all(gone)) if (finish) deleted = finishers.push(finish)
        }
      } finally {
        // Users no longer see these entries, so that their content must not stay. Not on all threads at once.
        const work = async () => {
          for (let finish = finishers.pop(); finish; finish = finishers.pop()) await finish()
        }
        await Promise.all([work(), work()])
      }
      return deleted
    },
  }
}

/** Divides entries into parts that are done at once. */
async function* batches<T>(slices: AsyncIterable<readonly T[]>): AsyncGenerator<T[]> {
  for await (const entries of slices)
    for (let at = 0; at < entries.length; at += doneAtOnce) yield entries.slice(at, at + doneAtOnce)
}

/** For `.catch`: leaves entries that are gone or that the user may not delete. */
function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code === 'auth.required') throw error
}
