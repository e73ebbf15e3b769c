import { close, constants, write } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf, ignoreMissing, isDiskFull } from '#src/core/problem.ts'
import { lstat, open, openDescriptor, unlink } from '#src/files/paths/disk.ts'
import type { KeptFolder } from './kept-folder.ts'

/** What is known of a kept item besides its content. It is stored beside the content, so that the database can be rebuilt. */
export interface KeptRecord {
  /** An entry that was deleted, or an old content of a file. */
  kind: 'trash' | 'version'
  /** Where it was: a real path relative to the served folder, in Coffer's spelling of names. */
  path: string
  /** When it was deleted or replaced, in milliseconds since 1970. */
  time: number
  /** The id of the user who did it. Null if the request had no signed-in user. */
  user: number | null
  userName: string
  /** The id of the operation. */
  operation: string
  isFolder: boolean
  /** When the content was changed last, in milliseconds since 1970. */
  modified: number
  /** Bytes of a file; missing: not counted yet. */
  size?: number | undefined
}

/** Maximum size of a stored record in bytes. A path has at most 4096 bytes on the disk, so that every record fits. */
const maxRecordBytes = 64 * 1024

/** The text of a record in its file. */
function encodeRecord(record: KeptRecord): string {
  return `${JSON.stringify(record)}\n`
}

/** Reads the text of a record. Returns undefined when it is damaged. */
function decodeRecord(text: string): KeptRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined // after a power failure a record may be empty or cut off
  }
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is KeptRecord {
  if (typeof value !== 'object' || value === null) return false
  const { kind, path, time, user, userName, operation, isFolder, modified, size } =
    value as Partial<KeptRecord>
  return (
    (kind === 'trash' || kind === 'version') &&
    typeof path === 'string' &&
    isCanonical(path) &&
    Number.isSafeInteger(time) &&
    typeof modified === 'number' &&
    Number.isFinite(modified) &&
    (user === null || Number.isSafeInteger(user)) &&
    [userName, operation].every((text) => typeof text === 'string') &&
    typeof isFolder === 'boolean' &&
    (size === undefined || Number.isSafeInteger(size))
  )
}

/** Whether a path begins with `/` and leads nowhere else than its names say. */
function isCanonical(path: string): boolean {
  const [first, ...names] = path.split('/')
  return first === '' && names.length > 0 && !names.some((name) => ['', '.', '..'].includes(name))
}

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

const heldPrefix = 'held-'

/** Makes an id for a file that is held back. It is in no list of kept items, and no user may open it. */
export function heldId(random: string): string {
  return heldPrefix + random
}

/** Whether an id is that of a file that is held back. */
export function isHeldId(id: string): boolean {
  return id.startsWith(heldPrefix) && isId(id)
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
