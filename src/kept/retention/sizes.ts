import type { Stats } from 'node:fs'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { errnoOf, Problem } from '#src/core/problem.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { spaceOf } from '#src/files/listing/entry.ts'
import type { Announcer } from '#src/operations/followers.ts'
import { allPages, type KeptReader, type KeptRow, sizeStatement } from '../records/kept-rows.ts'

const page = 1000
// Sizes that are written at once: each transaction waits for the disk.
const batch = 50

/** Counts the sizes of kept items that have none yet. */
export function createSizes({
  database,
  stores,
  reader,
  measure,
  announceKept,
  log,
}: {
  database: Pick<Database, 'write'>
  stores: Pick<KeptStores, 'byKey'>
  reader: Pick<KeptReader, 'find' | 'uncounted'>
  measure(address: string): Promise<number>
  announceKept: Announcer['kept']
  log: Logger
}) {
  let waiting = new Set<string>()

  /** The statement with the size of an item. `later`: its disk is not there. Undefined: there is nothing more to do. */
  async function statementOf(id: string): Promise<Statement | 'later' | undefined> {
    const row = await reader.find(id)
    if (row?.size !== null) return undefined
    const store = await stores.byKey(row.place)
    if (!store) return 'later'
    const stats = await store.find(id)
    if (!stats) {
      // Another program has deleted the content.
      await announceKept({ deleted: [row] })
      return undefined
    }
    return sizeStatement(id, await bytesOf(stats, () => measure(store.addressOf(id))))
  }

  /** As `statementOf`. An item that cannot be read is counted later. */
  async function triedStatementOf(id: string): Promise<Statement | 'later' | undefined> {
    return statementOf(id).catch((err: unknown) => {
      if (!(err instanceof Problem) && errnoOf(err) === undefined) throw err
      log.warn({ err, item: id }, 'the size of a kept item could not be counted')
      return 'later' as const
    })
  }

  async function statementsOf(ids: readonly string[]): Promise<Statement[]> {
    const statements: Statement[] = []
    for (const id of ids) {
      const statement = await triedStatementOf(id)
      if (statement === 'later') waiting.add(id)
      else if (statement) statements.push(statement)
    }
    return statements
  }

  return {
    /** Remembers an item that was added without a size. Its row need not be written yet. */
    add(id: string): void {
      waiting.add(id)
    },

    /** Finds all items without a size. */
    async find(): Promise<void> {
      const rows = allPages<KeptRow>(page, (last) => reader.uncounted(last?.id ?? '', page))
      for await (const { id } of rows) waiting.add(id)
    },

    /** Counts what has no size. Items of disks that are not there are counted when they are. */
    async count(): Promise<void> {
      const ids = [...waiting]
      waiting = new Set()
      for (let from = 0; from < ids.length; from += batch) {
        const statements = await statementsOf(ids.slice(from, from + batch))
        if (statements.length > 0) await database.write(statements)
      }
    },
  }
}

async function bytesOf(stats: Stats, measure: () => Promise<number>): Promise<number> {
  return stats.isDirectory() ? measure() : spaceOf(stats)
}
