import { createReadStream } from 'node:fs'
import { DatabaseProblem, problemOfFault } from './database-problem.ts'
import { isShared } from './file/fault.ts'
import type { DatabaseAnswer, DatabaseTask } from './serve-database.ts'

/** A database file that stays as it is until this is disposed. Writes continue, in its log. */
export interface FrozenFile extends Disposable {
  /** Reads the whole file. Can be called several times. */
  read(): AsyncIterable<Uint8Array>
}

/** Prevents writes to the file of a database while it is being copied. */
export function createFreezer(path: string, run: (task: DatabaseTask) => Promise<DatabaseAnswer>) {
  let users = 0
  let freezing: Promise<DatabaseAnswer> | undefined

  function release(): void {
    users--
    if (users > 0) return
    freezing = undefined
    // If this fails, the log grows until the file is opened again.
    void run({ file: path, freeze: false })
  }

  /** @throws DatabaseProblem when the disk fails. */
  return async (): Promise<FrozenFile> => {
    users++
    freezing ??= run({ file: path, freeze: true })
    const { fault, bytes = 0 } = await freezing
    if (fault) {
      release()
      throw isShared(fault) ? problemOfFault(fault) : new DatabaseProblem('server.busy', fault.message)
    }
    let isReleased = false
    return {
      read: () => createReadStream(path, { start: 0, end: bytes - 1 }),
      [Symbol.dispose]() {
        if (!isReleased) release()
        isReleased = true
      },
    }
  }
}
