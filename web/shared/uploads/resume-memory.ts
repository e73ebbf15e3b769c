import { proxyLimit } from '#web/api/uploads/piece-size.ts'
import { readStored, writeStored } from '#web/shared/preferences.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'

/** The server keeps an incomplete upload for a day, and so does this memory. In milliseconds. */
const lifeMs = 24 * 60 * 60_000
const maxUploads = 100

/** Upload ids and the time of their last use, by a hash of the file and its target. */
type Known = Record<string, [id: string, at: number]>

/** The stored upload of one file to one path. It survives a reload. */
export interface StoredUpload {
  /** The id of the upload to resume; undefined when there is none. */
  readonly id: string | undefined
  /** Stores the id; undefined deletes it. */
  store(id: string | undefined): void
}

/**
 * The stored upload of a file, identified by its size, its modification time and `key`.
 *
 * @param key whose upload it is, and where it goes
 */
export function storedUploadOf(key: readonly unknown[], body: Blob): StoredUpload {
  const time = body instanceof File ? body.lastModified : 0
  const name = hash([...key, body.size, time].join('\n'))
  return {
    get id() {
      return ownEntry(read(), name)?.[0]
    },
    store(id) {
      const { [name]: _before, ...others } = read()
      const now: Known = id === undefined ? others : { ...others, [name]: [id, Date.now()] }
      const kept = Object.entries(now).slice(-maxUploads)
      writeStored('uploads', kept.length > 0 ? JSON.stringify(Object.fromEntries(kept)) : undefined)
    },
  }
}

/** Restores the limit of proxies that an earlier page has found within a day, and stores it when it changes. */
export function restoreProxyLimit(): void {
  const [bytes, at] = (readStored('proxyLimit') ?? '').split(' ').map(Number)
  if (bytes && at && Date.now() - at < lifeMs) proxyLimit.bytes = Math.min(proxyLimit.bytes, bytes)
  proxyLimit.onChange = (now) => writeStored('proxyLimit', `${now} ${Date.now()}`)
}

function read(): Known {
  try {
    const known = JSON.parse(readStored('uploads') ?? '{}') as Known
    return Object.fromEntries(Object.entries(known).filter(([, [, at]]) => Date.now() - at < lifeMs))
  } catch {
    return {} // the stored value is not ours
  }
}

/** A 53-bit hash (cyrb53), so that the storage of the device contains no file names. */
function hash(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return `x${(4294967296 * (2097151 & b) + (a >>> 0)).toString(36)}`
}
