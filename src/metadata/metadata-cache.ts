import type { Database } from '#src/core/database/database.ts'
import { DatabaseProblem } from '#src/core/database/database-problem.ts'
import type { PictureMetadata } from '#src/files/metadata/read-file.ts'
import { stateKey } from '#src/files/metadata/state-key.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import {
  type FoundRow,
  type KnownMetadata,
  maxKeysPerRead,
  oldRowsRemoved,
  placeholderStored,
  readRows,
  readStored,
  rowsRemoved,
  usesStored,
} from './metadata-rows.ts'

const dayMs = 24 * 60 * 60_000
// A row takes about 150 bytes: all together at most 30 MB.
const maxRows = 200_000
const maxUnusedDays = 90
// Old rows are removed after this many new ones, and at the first of a start.
const rowsPerSweep = 5000

/**
 * What is known about the states of files, in the database, so that it survives a restart. A cache: a failure of the
 * database means that less is known, and never that a request fails.
 */
export function createMetadataCache(database: Pick<Database, 'read' | 'writeLater'>, clock: () => number) {
  let addedRows = rowsPerSweep
  const today = () => Math.floor(clock() / dayMs)

  /** @returns whether it was written. */
  async function write(...statements: Parameters<Database['writeLater']>): Promise<boolean> {
    return database.writeLater(...statements).then(
      () => true,
      (error: unknown) => {
        ignoreFault(error)
        return false
      },
    )
  }

  async function sweepAfter(rows: number): Promise<void> {
    addedRows += rows
    if (addedRows < rowsPerSweep) return
    addedRows = 0
    await write(oldRowsRemoved(today() - maxUnusedDays, maxRows))
  }

  return {
    /** Returns what is known, by key. */
    async find(keys: readonly string[]): Promise<Map<string, KnownMetadata>> {
      const found = new Map<string, KnownMetadata>()
      const stale: string[] = []
      for (let at = 0; at < keys.length; at += maxKeysPerRead) {
        const part = keys.slice(at, at + maxKeysPerRead)
        for (const { key, used, known } of await readRows(database, part).catch(noRows)) {
          found.set(key, known)
          if (used !== today()) stale.push(key)
        }
      }
      if (stale.length > 0) void write([usesStored(stale, today())])
      return found
    },

    /** Stores what was read from files. @returns whether it is stored. */
    async store(found: readonly (PictureMetadata & { key: string })[]): Promise<boolean> {
      if (found.length === 0) return true
      const isStored = await write([readStored(found, today())])
      await sweepAfter(found.length)
      return isStored
    },

    /** Stores the placeholder of a picture, which was made together with a preview. */
    async storePlaceholder(state: FileState, placeholder: Uint8Array): Promise<void> {
      const text = Buffer.from(placeholder).toString('base64')
      await write([placeholderStored(stateKey(state), text, today())])
      await sweepAfter(1)
    },

    /** Removes what is known about files that were changed or deleted. */
    async remove(states: readonly FileState[]): Promise<void> {
      if (states.length > 0) await write([rowsRemoved(states.map(stateKey))])
    },
  }
}

/** Failures of the database are logged there. @throws any other error */
function ignoreFault(error: unknown): void {
  if (!(error instanceof DatabaseProblem)) throw error
}

function noRows(error: unknown): FoundRow[] {
  ignoreFault(error)
  return []
}

export type MetadataCache = ReturnType<typeof createMetadataCache>
