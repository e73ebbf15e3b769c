import type { TrashList } from '#contract/history/kept.ts'
import type { Actor, Principal } from '#src/auth/actor.ts'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import type { Place } from '#src/files/kept/places.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { childOf, nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { checkRules } from '#src/files/trees/tree-checks.ts'
import type { OpenFile } from '#src/resources/open-file.ts'
import type { WaitOptions } from '#src/resources/open-files.ts'
import { authorize, recheckOf } from '#src/resources/resources.policy.ts'
import type { KeptTools } from './kept-tools.ts'
import { openKept } from './open-kept.ts'
import { createKeptReader, type KeptRow, rowsRemoved } from './records/kept-rows.ts'
import { pathInScope } from './scope.ts'
import { createTrashList, type Shown, type TrashQuery } from './trash-list.ts'

// How many entries disappear at once when the trash is emptied. Each needs a descriptor.
const doneAtOnce = 16

/** Creates the service for the trash. Users see entries that were in their scope and that their rules allow. */
export function createTrash(tools: KeptTools) {
  const { database, places, root, files } = tools
  const reader = createKeptReader(database)
  const { list, visible } = createTrashList(reader, tools)

  /** Finds an entry that the user may see. @throws Problem `kept.unknown`. */
  async function find(actor: Principal, id: string): Promise<Shown & { jail: Jail }> {
    const [row, jail] = await Promise.all([reader.find(id), actor.jail()])
    const path = row?.kind === 'trash' ? pathInScope(root, jail, row) : undefined
    if (!row || path === undefined) throw new Problem('kept.unknown')
    return { row, path, jail }
  }

  /**
   * Returns the place of an entry. If another program has deleted its content, its row is deleted.
   *
   * @throws Problem `kept.unknown` when the content or the place is missing.
   */
  async function placeOf(row: KeptRow): Promise<Place> {
    const place = await places.byKey(row.place)
    if (!place) throw new Problem('kept.unknown')
    if (await place.find(row.id)) return place
    await database.write(rowsRemoved(row.id))
    throw new Problem('kept.unknown')
  }

  /** Hides an entry from users. Returns the function that deletes its content. Undefined if there is no content. */
  async function condemn(actor: Actor, { row, path, jail }: Shown & { jail: Jail }) {
    const place = await placeOf(row)
    if (row.is_folder) {
      // Another user may have deleted a folder that contains something which rules deny this user.
      const recheck = recheckOf(actor, 'delete', [path])
      const context = { jail, rules: actor.rules, recheck, workers: tools.workers(actor) }
      await checkRules(context, { address: place.addressOf(row.id), place: { path, asked: path } })
    }
    const finish = await place.condemn(row.id).catch(onPath(path))
    await database.write(rowsRemoved(row.id))
    return finish
  }

  return {
    /** Lists the trash, the newest first. @throws Problem `request.invalid`. */
    list: (actor: Principal, query: TrashQuery): Promise<TrashList> => list(actor, query),

    /** Opens the content of a deleted file. @throws Problem `kept.unknown`, `path.folder`, `path.special`. */
    async open(actor: Principal, id: string, { signal }: WaitOptions): Promise<OpenFile> {
      authorize(actor.user.perm, 'read')
      const { row, path } = await find(actor, id)
      return openKept({ files, actor, signal }, { place: await placeOf(row), id, path })
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
      await placeOf(row)
      const target = to === undefined ? path : childOf(to, nameOf(path))
      return tools.transfers.restore(actor, { id, place: row.place, to: target, whenTaken: 'rename' })
    },

    /**
     * Deletes an entry permanently. It is gone at once; its content is deleted when this resolves.
     *
     * @returns its path relative to the served folder
     * @throws Problem `kept.unknown`, `auth.forbidden`, `path.forbidden`.
     */
    async remove(actor: Actor, id: string): Promise<string> {
      authorize(actor.user.perm, 'delete')
      const found = await find(actor, id)
      const finish = await condemn(actor, found)
      tools.onGone()
      await finish?.()
      return found.row.path
    },

    /** Deletes all entries that the user sees and may delete. Returns their number. */
    async empty(actor: Actor): Promise<number> {
      authorize(actor.user.perm, 'delete')
      const jail = await actor.jail()
      const finishers: (() => Promise<void>)[] = []
      for await (const batch of batches(visible(jail))) {
        actor.check([])
        authorize(actor.user.perm, 'delete')
        const gone = batch.map((found) => condemn(actor, { ...found, jail }).catch(undefinedIfRefused))
        for (const finish of await Promise.all(gone)) if (finish) finishers.push(finish)
      }
      tools.onGone()
      const deleted = finishers.length
      // Not on all threads at once.
      const work = async () => {
        for (let finish = finishers.pop(); finish; finish = finishers.pop()) await finish()
      }
      await Promise.all([work(), work()])
      return deleted
    },
  }
}

/** Groups entries, so that several are done at once. */
async function* batches<T>(entries: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const entry of entries) {
    if (batch.push(entry) < doneAtOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** For `.catch`: leaves entries that are gone or that the user may not delete. */
function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code === 'auth.required') throw error
}
