import { constants } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import { errnoOf, ignoreMissing, Problem, unconditional } from '#src/core/problem.ts'
import { writeFlushed } from './write-flushed.ts'

/**
 * Opens a folder of small records, one JSON file each, mirrored in memory. For data that changes too often for the
 * state file. A file that is not a valid record is deleted.
 *
 * @param isRecord whether a value is a record
 */
export async function openRecords<T extends { id: string }>(
  folder: string,
  isRecord: (value: unknown) => value is T,
) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const records = new Map<string, T>()
  for (const name of await readdir(folder)) {
    const record = await readRecord(join(folder, name), isRecord)
    if (record && name === `${record.id}.json`) records.set(record.id, record)
    else await rm(join(folder, name), { force: true, recursive: true })
  }
  // Serializes the calls for each record, because two concurrent writes would use the same temporary file.
  const locks = createKeyedLock()

  async function write(record: T): Promise<void> {
    const file = join(folder, `${record.id}.json`)
    if (!records.has(record.id)) return // removed during the wait: a revoked record stays revoked
    try {
      await writeFlushed(`${file}.new`, JSON.stringify(record))
      await rename(`${file}.new`, file)
    } catch (error) {
      await rm(`${file}.new`, { force: true }).catch(() => {}) // the first error is the one to report
      throw error
    }
  }

  return {
    all: () => [...records.values()],
    get: (id: string) => records.get(id),
    /** Whether a value from elsewhere could be stored. */
    accepts: (value: unknown): value is T => isRecord(value) && isStorable(value, isRecord),
    /**
     * Stores `record`: immediately in memory, and durably when the promise settles. After a power failure, either the
     * old or the new record exists. A failed write restores the previous record in memory.
     *
     * @throws Problem `request.invalid` for a record that the next start would delete. Nothing changes then.
     */
    async put(record: T): Promise<void> {
      refuseInvalid(record, isRecord)
      const { id } = record
      const previous = records.get(id)
      records.set(id, record)
      await locks
        .run(id, unconditional, () => write(record))
        .catch((error: unknown) => {
          if (records.get(id) === record) {
            if (previous) records.set(id, previous)
            else records.delete(id)
          }
          throw error
        })
    },
    /**
     * Stores `record`: immediately in memory, and durably if the disk can store it. When the disk is full or broken,
     * the record stays in memory until the next `put` or `keep`. Returns the system's error, undefined when the disk
     * has the record.
     */
    async keep(record: T): Promise<string | undefined> {
      refuseInvalid(record, isRecord)
      records.set(record.id, record)
      try {
        await locks.run(record.id, unconditional, () => write(record))
        return undefined
      } catch (error) {
        const errno = errnoOf(error)
        if (errno === undefined) throw error
        return errno
      }
    },
    /** Changes fields of a record in memory only, unless it was removed. `keep` stores them. */
    note(id: string, fields: Partial<Omit<T, 'id'>>): void {
      const record = records.get(id)
      if (record) records.set(id, { ...record, ...fields })
    },
    /** Removes a record: immediately in memory, and durably when the promise settles. Returns whether it existed. */
    async remove(id: string): Promise<boolean> {
      const known = records.delete(id)
      if (!known) return false
      await locks.run(id, unconditional, async () => {
        if (records.has(id)) return // stored again during the wait
        await rm(join(folder, `${id}.json`), { force: true })
        await flushFolder(() => open(folder, constants.O_RDONLY).catch(ignoreMissing))
      })
      return true
    },
  }
}

export type Records<T extends { id: string }> = Awaited<ReturnType<typeof openRecords<T>>>

/** Refuses a record whose file would not be read as the same record. For example, JSON turns some numbers into null. */
function refuseInvalid<T extends { id: string }>(record: T, isRecord: (value: unknown) => value is T): void {
  if (!isStorable(record, isRecord))
    throw new Problem('request.invalid', { field: 'record', reason: 'cannot be stored' })
}

function isStorable<T extends { id: string }>(record: T, isRecord: (value: unknown) => value is T): boolean {
  return /^[\w-]{1,64}$/.test(record.id) && isRecord(JSON.parse(JSON.stringify(record)))
}

/** Reads one record. Undefined: it is missing or invalid. */
export async function readRecord<T>(
  file: string,
  isRecord: (value: unknown) => value is T,
): Promise<T | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // a partial record after a crash is invalid
  }
}
