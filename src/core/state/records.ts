import { constants } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { errnoOf, ignoreMissing } from '#src/core/errno.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import { Problem } from '#src/core/problem.ts'
import { unconditional } from '#src/core/recheck.ts'
import { writeFlushed } from './write-flushed.ts'

/**
 * A folder of small records, one JSON file each, mirrored in memory: for what changes too often for the state file. A
 * file that cannot be read as a record is dropped; what it stood for is simply no longer there.
 *
 * @param isRecord tells a record from anything else
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
  // One call after another for each record: two writes would meet in one temporary file.
  const locks = createKeyedLock()

  async function write(record: T): Promise<void> {
    const file = join(folder, `${record.id}.json`)
    if (!records.has(record.id)) return // removed while it waited: what was revoked stays revoked
    try {
      await writeFlushed(`${file}.new`, JSON.stringify(record))
      await rename(`${file}.new`, file)
    } catch (error) {
      await rm(`${file}.new`, { force: true }).catch(() => {}) // the first failure is the one to tell
      throw error
    }
  }

  return {
    all: () => [...records.values()],
    get: (id: string) => records.get(id),
    /**
     * Keeps `record`, at once in memory, durably when the promise settles; after a power cut there is the old or the new
     * one. A failed write brings back in memory what was there before.
     *
     * @throws Problem `request.invalid` for a record that the next start would drop; it is not kept at all.
     */
    async put(record: T): Promise<void> {
      refuseUnfit(record, isRecord)
      const { id } = record
      const before = records.get(id)
      records.set(id, record)
      await locks
        .run(id, unconditional, () => write(record))
        .catch((error: unknown) => {
          if (records.get(id) === record) {
            if (before) records.set(id, before)
            else records.delete(id)
          }
          throw error
        })
    },
    /**
     * Keeps `record`, at once in memory, durably as far as the disk lets us: on one that is full or broken, memory has it
     * until the next `put` or `keep`. Answers what the system said against it; undefined when the disk has it.
     */
    async keep(record: T): Promise<string | undefined> {
      refuseUnfit(record, isRecord)
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
    /** Forgets a record: at once in memory, durably when the promise settles. Answers whether there was one. */
    async remove(id: string): Promise<boolean> {
      const known = records.delete(id)
      if (!known) return false
      await locks.run(id, unconditional, async () => {
        if (records.has(id)) return // put again meanwhile
        await rm(join(folder, `${id}.json`), { force: true })
        await flushFolder(() => open(folder, constants.O_RDONLY).catch(ignoreMissing))
      })
      return true
    },
  }
}

export type Records<T extends { id: string }> = Awaited<ReturnType<typeof openRecords<T>>>

/** A record is refused unless its file would be read as the same record: some numbers, for one, are null in JSON. */
function refuseUnfit<T extends { id: string }>(record: T, isRecord: (value: unknown) => value is T): void {
  const isFit = /^[\w-]{1,64}$/.test(record.id) && isRecord(JSON.parse(JSON.stringify(record)))
  if (!isFit) throw new Problem('request.invalid', { field: 'record', reason: 'cannot be kept' })
}

async function readRecord<T>(file: string, isRecord: (value: unknown) => value is T): Promise<T | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // half a record after a crash is no record
  }
}
