import { constants } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from './errno.ts'

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
  return {
    all: () => [...records.values()],
    get: (id: string) => records.get(id),
    /** Keeps `record`, durably; after a power cut there is the old or the new one. */
    async put(record: T): Promise<void> {
      const file = join(folder, `${record.id}.json`)
      records.set(record.id, record)
      await writeFlushed(`${file}.new`, JSON.stringify(record))
      await rename(`${file}.new`, file)
      // It may have been removed while it was written: what was revoked stays revoked.
      if (!records.has(record.id)) await rm(file, { force: true })
    },
    /** Forgets a record: at once in memory, durably when the promise settles. Answers whether there was one. */
    async remove(id: string): Promise<boolean> {
      const known = records.delete(id)
      if (known) {
        await rm(join(folder, `${id}.json`), { force: true })
        await flushFolder(folder)
      }
      return known
    },
  }
}

export type Records<T extends { id: string }> = Awaited<ReturnType<typeof openRecords<T>>>

async function readRecord<T>(file: string, isRecord: (value: unknown) => value is T): Promise<T | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // half a record after a crash is no record
  }
}

async function writeFlushed(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // folders cannot be opened there
  const handle = await open(folder, constants.O_RDONLY).catch(ignoreMissing)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}
