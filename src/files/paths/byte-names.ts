import { isUtf8 } from 'node:buffer'

// On Linux a name is bytes, and these need not be UTF-8. Everywhere in Coffer a name is text. A byte that is no UTF-8 is
// spelled in it as the character that stands for what cannot be read (U+FFFD), then `%` and the byte in hexadecimal: the
// Latin-1 name `caf<E9>` is `caf\ufffd%E9`. A real name that looks like this spelling has its U+FFFD spelled byte by byte in
// the same way, so each name has exactly one text and each text is at most one name.

const sign = '\ufffd%'
const spelledByte = /\ufffd%([0-9A-F]{2})/g
const likeSpelled = /\ufffd(?=%[0-9A-F]{2})/g
const spelledSign = '\ufffd%EF\ufffd%BF\ufffd%BD'

/** The text of a name or a path that the disk has told. */
export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return spellSign(bytes.toString())
  let text = ''
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    text += spellSign(bytes.toString('utf8', from, at)) + spellByte(bytes[at] ?? 0)
    from = ++at
  }
  return text + spellSign(bytes.toString('utf8', from))
}

/** The text of a name that is text already, or that the disk has told. */
export function asText(name: string | Buffer): string {
  return typeof name === 'string' ? name : textOf(name)
}

/** The name or the path as the disk has it. Text without spelled bytes is answered as it is. */
export function onDisk(text: string): string | Buffer {
  return hasSpelledBytes(text) ? bytesOf(text) : text
}

/** How many bytes a name or a path has on the disk. */
export function bytesIn(text: string): number {
  return hasSpelledBytes(text) ? bytesOf(text).length : Buffer.byteLength(text)
}

/** Whether a text stands for bytes that are no UTF-8: programs that take names as text cannot be given it. */
export function hasSpelledBytes(text: string): boolean {
  return text.includes(sign) && text.search(spelledByte) !== -1
}

/**
 * Whether a text is the one that a name is spelled with. Others would be second spellings: of a slash, of a dot, of
 * letters, of bytes that are good UTF-8.
 */
export function isSpelling(text: string): boolean {
  return !hasSpelledBytes(text) || textOf(bytesOf(text)) === text
}

function bytesOf(text: string): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (const { 0: spelled, 1: hex = '', index } of text.matchAll(spelledByte)) {
    parts.push(Buffer.from(text.slice(from, index)), Buffer.from(hex, 'hex'))
    from = index + spelled.length
  }
  parts.push(Buffer.from(text.slice(from)))
  return Buffer.concat(parts)
}

function spellByte(byte: number): string {
  return sign + byte.toString(16).toUpperCase().padStart(2, '0')
}

function spellSign(text: string): string {
  return text.includes(sign) ? text.replace(likeSpelled, spelledSign) : text
}

/** How many bytes the character has that begins here; 0: none does. */
function lengthAt(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  const isWhole = at + length <= bytes.length
  return isWhole && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
