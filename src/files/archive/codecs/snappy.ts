import { cut } from '#src/core/memory/free.ts'
import { crc32c } from './crc32c.ts'
import { findMatches } from './matches.ts'

/** The stream identifier (snappy framing format, 4.1). */
export const snappyStreamHeader = Buffer.from('\xff\x06\x00\x00sNaPpY', 'latin1')

// Framing format, 4.2: the maximum uncompressed size of a chunk.
const chunkBytes = 65_536

/** Makes chunks of the framing format, each with its checksum. Stores a chunk uncompressed if it saves too little. */
export function snappyChunks(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const count = Math.ceil(source.length / chunkBytes)
  const out = new Uint8Array(source.length + count * (chunkBytes / 6 + 64))
  let at = 0
  for (let from = 0; from < source.length; from += chunkBytes) {
    at = writeChunk(source.subarray(from, from + chunkBytes), out, at)
  }
  return cut(out, at)
}

function writeChunk(source: Uint8Array, out: Uint8Array<ArrayBuffer>, at: number): number {
  const body = at + 8
  let end = compress(source, out, body)
  const isSmaller = end - body < source.length - (source.length >> 3)
  if (!isSmaller) {
    out.set(source, body)
    end = body + source.length
  }
  const view = new DataView(out.buffer, at)
  view.setUint32(0, ((end - body + 4) << 8) | (isSmaller ? 0 : 1), true)
  view.setUint32(4, masked(crc32c(source)), true)
  return end
}

/** Framing format, 3: checksums are masked, because the CRC of data that contains CRCs is weak. */
function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

function compress(source: Uint8Array, out: Uint8Array, start: number): number {
  let at = writeLength(out, start, source.length)
  const end = findMatches(source, { from: 0, to: source.length }, (from, to, offset, length) => {
    at = writeLiterals(out, at, source.subarray(from, to))
    // A copy element with a two-byte offset copies 1 to 64 bytes.
    for (let left = length; left > 0; left -= 64) {
      out[at++] = ((Math.min(left, 64) - 1) << 2) | 2
      out[at++] = offset & 0xff
      out[at++] = offset >> 8
    }
  })
  return writeLiterals(out, at, source.subarray(end))
}

/** Writes a varint: seven bits per byte, the lowest first. */
function writeLength(out: Uint8Array, start: number, length: number): number {
  let at = start
  let left = length
  for (; left > 127; left >>>= 7) out[at++] = (left & 127) | 128
  out[at++] = left
  return at
}

function writeLiterals(out: Uint8Array, start: number, literals: Uint8Array): number {
  if (literals.length === 0) return start
  let at = start
  const count = literals.length - 1
  out[at++] = (count < 60 ? count : count < 256 ? 60 : 61) << 2
  if (count >= 60) out[at++] = count & 0xff
  if (count >= 256) out[at++] = count >> 8
  out.set(literals, at)
  return at + literals.length
}
