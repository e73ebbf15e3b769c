import type { Clock } from '#src/core/clock.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import { type Link, newLink } from './admission.ts'
import { goneStatements, readUses, type Used, usedStatements } from './link-rows.ts'

/** The use of all shares, in memory. `isKnown`: whether there is a share with this id. */
export function createLinks(
  database: Pick<Database, 'read' | 'writeLater'>,
  isKnown: (hash: string) => boolean,
) {
  const links = new Map<string, Link>()
  let reading: Promise<void> | undefined

  return {
    /** Reads the counts once. After a failure, the next call tries again. */
    loaded(): Promise<void> {
      reading ??= readUses(database).then((uses) => {
        const gone = [...uses.keys()].filter((hash) => !isKnown(hash))
        for (const [hash, row] of uses) if (isKnown(hash)) links.set(hash, newLink(row))
        // Of shares whose end was not noted, because the disk was full or the server was killed.
        if (gone.length > 0) void database.writeLater(goneStatements(gone)).catch(() => {})
      })
      reading.catch(() => {
        reading = undefined
      })
      return reading
    },

    /** The use of a share. Remembered from now on, if the share exists. */
    linkOf(hash: string): Link {
      const link = links.get(hash) ?? newLink()
      if (isKnown(hash)) links.set(hash, link)
      return link
    },

    /** The use of a share that was used. Undefined: it was not, or it does not exist. */
    find: (hash: string): Link | undefined => links.get(hash),
    drop: (hash: string) => void links.delete(hash),
  }
}

const nothing: Used = { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0 }

/** Returns a function that counts what has happened to a share: at once in memory, then in the database. */
export function createCounter({
  database,
  clock,
  linkOf,
}: {
  database: Pick<Database, 'writeLater'>
  clock: Clock
  linkOf(hash: string): Link
}) {
  return (hash: string, change: Partial<Used>, more: readonly Statement[]): Promise<unknown> => {
    const { row } = linkOf(hash)
    const used = { ...nothing, ...change }
    for (const name of Object.keys(nothing) as (keyof Used)[]) row[name] += used[name]
    row.last = Math.max(row.last, clock())
    return database.writeLater([...usedStatements(hash, used, clock()), ...more])
  }
}
