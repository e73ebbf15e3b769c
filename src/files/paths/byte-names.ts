import { isUtf8 } from 'node:buffer'

// On Linux a name is a sequence of bytes, which need not be UTF-8. Everywhere in Coffer a name is text. A byte that
// is not valid UTF-8 is escaped: as the replacement character (U+FFFD), then `%` and the byte in hexadecimal. The
// Latin-1 name `caf<E9>` becomes `caf\ufffd%E9`. If a real name looks like such an escape, the bytes of its U+FFFD
// are escaped in the same way. So each name has exactly one text, and each text is at most one name.

const marker = '\ufffd%'
const escapedByte = /\ufffd%([0-9A-F]{2})/g
const looksEscaped = /\ufffd(?=%[0-9A-F]{2})/g
const escapedMarker = '\ufffd%EF\ufffd%BF\ufffd%BD'

/** Returns the text of a name or a path that the disk returned as bytes. */
export function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return escapeMarker(bytes.toString())
  let text = ''
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    text += escapeMarker(bytes.toString('utf8', from, at)) + escapeByte(bytes[at] ?? 0)
    from = ++at
  }
  return text + escapeMarker(bytes.toString('utf8', from))
}

/** Returns the text of a name that is text already, or that the disk returned as bytes. */
export function asText(name: string | Buffer): string {
  return typeof name === 'string' ? name : decodeName(name)
}

/** Returns the name or the path as it is on the disk: bytes if it has escaped bytes, otherwise the text itself. */
export function bytesOnDisk(text: string): string | Buffer {
  return hasEscapedBytes(text) ? bytesOf(text) : text
}

/** Returns a path as libc takes it: the bytes on the disk, and a zero byte. */
export function nulTerminated(path: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(typeof path === 'string' ? bytesOnDisk(path) : path), Buffer.alloc(1)])
}

/** The size of a name or a path on the disk, in bytes. */
export function byteLengthOnDisk(text: string): number {
  return hasEscapedBytes(text) ? bytesOf(text).length : Buffer.byteLength(text)
}

/** Whether a text has escaped bytes. Programs that take names as text cannot receive such a name. */
export function hasEscapedBytes(text: string): boolean {
  return text.includes(marker) && text.search(escapedByte) !== -1
}

/**
 * Whether a text is the one that `textOf` returns for the name. Rejects other texts for it: escapes of a slash, a dot,
 * letters, and bytes that are valid UTF-8.
 */
export function isCanonicalText(text: string): boolean {
  return !hasEscapedBytes(text) || decodeName(bytesOf(text)) === text
}

function bytesOf(text: string): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (const { 0: escaped, 1: hex = '', index } of text.matchAll(escapedByte)) {
    parts.push(Buffer.from(text.slice(from, index)), Buffer.from(hex, 'hex'))
    from = index + escaped.length
  }
  parts.push(Buffer.from(text.slice(from)))
  return Buffer.concat(parts)
}

function escapeByte(byte: number): string {
  return marker + byte.toString(16).toUpperCase().padStart(2, '0')
}

function escapeMarker(text: string): string {
  return text.includes(marker) ? text.replace(looksEscaped, escapedMarker) : text
}

/** The length in bytes of the UTF-8 character that begins at `at`; 0 if no valid character begins there. */
function lengthAt(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  const isWhole = at + length <= bytes.length
  return isWhole && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
