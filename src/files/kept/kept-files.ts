import { close, constants, write } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf, ignoreMissing, isDiskFull } from '#src/core/problem.ts'
import { lstat, open, openDescriptor, unlink } from '#src/files/paths/disk.ts'
import type { KeptFolder } from './kept-folder.ts'
import { decodeRecord, encodeRecord, type KeptRecord, maxRecordBytes } from './kept-record.ts'

// The files of an item in the folder of its store: `ID`, the content, and `ID.json`, the record.

const suffix = '.json'
const writeDescriptor = promisify(write)
const closeDescriptor = promisify(close)
// A record of another running server gets its content within milliseconds.
const strayAfterMs = 24 * 60 * 60_000

/** Whether a text is an id of an item. Other names in the folder, and paths, are none. */
export function isId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text)
}

/** Returns an id. @throws `ENOENT` for other texts, because there is no such item. */
export function checkedId(id: string): string {
  if (!isId(id)) throw systemError('ENOENT', 'this is no id of a kept item')
  return id
}

/** The path of an item's content, for system calls. */
export function contentOf(folder: KeptFolder, id: string): string {
  return join(folder.address, checkedId(id))
}

function recordOf(folder: KeptFolder, id: string): string {
  return join(folder.address, checkedId(id) + suffix)
}

/** Writes the record of an item. Returns whether it was written: not on a full disk. */
export async function writeRecord(folder: KeptFolder, id: string, record: KeptRecord): Promise<boolean> {
  const file = recordOf(folder, id)
  try {
    await writeNew(file, Buffer.from(encodeRecord(record)))
    return true
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') await unlink(file).catch(() => {}) // report the first failure
    if (!isDiskFull(error)) throw error
    return false
  }
}

async function writeNew(file: string, bytes: Buffer): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
  const fd = await openDescriptor(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    for (let done = 0; done < bytes.length; ) done += (await writeDescriptor(fd, bytes, done)).bytesWritten
  } finally {
    await closeDescriptor(fd)
  }
}

/** Reads the record of an item. Undefined: it is missing or damaged. */
export async function readRecord(folder: KeptFolder, id: string): Promise<KeptRecord | undefined> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = recordOf(folder, id)
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(ignoreUnreadable)
  if (!handle) return undefined
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size > maxRecordBytes) return undefined
    return decodeRecord(await handle.readFile('utf8'))
  } finally {
    await handle.close()
  }
}

function ignoreUnreadable(error: unknown): undefined {
  if (!['ENOENT', 'ELOOP', 'EACCES', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error
}

/** Removes the record of an item, if it exists. */
export async function removeRecord(folder: KeptFolder, id: string): Promise<void> {
  await unlink(recordOf(folder, id)).catch(ignoreMissing)
}

/** Whether a name is that of a record whose content is not among `names`. */
export function isStray(name: string, names: ReadonlySet<string>): boolean {
  return name.endsWith(suffix) && !names.has(name.slice(0, -suffix.length))
}

/** Removes a record without content, when it is old: a crash has left it. */
export async function removeStray(folder: KeptFolder, name: string): Promise<void> {
  const file = join(folder.address, name)
  const stats = await lstat(file).catch(ignoreMissing)
  if (stats?.isFile() && Date.now() - stats.mtimeMs > strayAfterMs) await unlink(file).catch(ignoreMissing)
}

/** Creates an error that looks like one of the system. */
export function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code })
}
