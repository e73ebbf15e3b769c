import { cut } from '#src/core/memory/free.ts'
import { findMatches } from './matches.ts'

/** The maximum input of one block. */
export const lz4MaxBlockBytes = 1024 * 1024

/**
 * The header of an LZ4 frame (LZ4 Frame Format 1.6): version 1, independent blocks of at most 1 MiB, and the checksum
 * of the header.
 */
export const lz4FrameHeader = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x60, 0x51])
/** The end mark of a frame: a block of length 0. */
export const lz4EndMark = Buffer.alloc(4)

/**
 * Makes one block of a frame, with its length before it. Stores the bytes uncompressed if compression saves nothing.
 */
export function lz4Block(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(4 + source.length + Math.ceil(source.length / 255) + 16)
  const view = new DataView(out.buffer)
  const length = compress(source, out, 4) - 4
  if (length < source.length) {
    view.setUint32(0, length, true)
    return cut(out, 4 + length)
  }
  view.setUint32(0, source.length | 0x80000000, true)
  out.set(source, 4)
  return cut(out, 4 + source.length)
}

function compress(source: Uint8Array, out: Uint8Array, start: number): number {
  let at = start
  const literals = (from: number, to: number, low: number) => {
    const count = to - from
    out[at++] = (Math.min(count, 15) << 4) | low
    if (count >= 15) at = writeRest(out, at, count - 15)
    for (let index = from; index < to; index++) out[at++] = source[index] ?? 0
  }
  const end = findMatches(source, { from: 0, to: source.length }, (from, to, offset, length) => {
    literals(from, to, Math.min(length - 4, 15))
    out[at++] = offset & 0xff
    out[at++] = offset >> 8
    if (length - 4 >= 15) at = writeRest(out, at, length - 4 - 15)
  })
  literals(end, source.length, 0)
  return at
}

/** Writes the part of a length that does not fit into four bits: bytes of 255, then one smaller byte. */
function writeRest(out: Uint8Array, start: number, rest: number): number {
  let at = start
  let left = rest
  for (; left >= 255; left -= 255) out[at++] = 255
  out[at++] = left
  return at
}
