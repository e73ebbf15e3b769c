import type { Database } from '#src/core/database/database.ts'

/**
 * The same database. Calls `onTrash` after writes that have added entries to the trash or removed them, with the paths
 * where these entries were, relative to the served folder.
 */
export function withTrashListener(database: Database, onTrash: (paths: string[]) => void): Database {
  const reporting =
    (write: Database['write']): Database['write'] =>
    async (statements) => {
      const results = await write(statements)
      const paths = results.flat().flatMap(({ trash }) => (typeof trash === 'string' ? [trash] : []))
      if (paths.length > 0) onTrash(paths)
      return results
    }
  return {
    ...database,
    // Not known before the file is open.
    get setAside() {
      return database.setAside
    },
    write: reporting(database.write),
    writeLater: reporting(database.writeLater),
  }
}
