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
export const maxRecordBytes = 64 * 1024

/** The text of a record in its file. */
export function encodeRecord(record: KeptRecord): string {
  return `${JSON.stringify(record)}\n`
}

/** Reads the text of a record. Returns undefined when it is damaged. */
export function decodeRecord(text: string): KeptRecord | undefined {
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
