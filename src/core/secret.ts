import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const pool = { bytes: Buffer.alloc(0), used: 0 }

/**
 * Returns an unguessable id of 16 bytes in URL-safe base64 that begins with the time. Ids that were made at nearly the same
 * time are near each other in an index of a database, so that a transaction writes fewer pages of it. 80 bits are random.
 *
 * @param now milliseconds since 1970
 */
export function timedId(now: number): string {
  const time = Buffer.alloc(6)
  time.writeUIntBE(Math.max(0, Math.trunc(now)) % 2 ** 48, 0, 6)
  return time.toString('base64url') + randomId(16).slice(8)
}

/** Returns an unguessable id of `bytes` random bytes (16 = 128 bits) in URL-safe base64. */
export function randomId(bytes = 16): string {
  // One system call serves many ids. Bytes that were used are removed from memory.
  if (pool.used + bytes > pool.bytes.length) Object.assign(pool, { bytes: randomBytes(64 * bytes), used: 0 })
  const own = pool.bytes.subarray(pool.used, pool.used + bytes)
  pool.used += bytes
  const id = own.toString('base64url')
  own.fill(0)
  return id
}

/** Whether two texts are equal, in a time that does not reveal where they differ. */
export function equalsInConstantTime(left: string, right: string): boolean {
  const a = Buffer.from(left)
  const b = Buffer.from(right)
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Returns the HMAC-SHA-256 of `text` in URL-safe base64 (RFC 2104). */
export function hmac(text: string, key: Buffer): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Encodes a value as JSON in URL-safe base64, as in the parts of a token (RFC 7515 §3). */
export function encodeJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Decodes text from `encodeJson`. Undefined when the text is invalid. */
export function decodeJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined // the text comes from clients, so that invalid text is expected
  }
}
