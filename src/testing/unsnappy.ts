import { crc32c } from '@node-rs/crc32'

/**
 * Reads the snappy framing format, for tests, because Debian's `snzip` is not available on every machine. It was
 * written from the description of the format, independently of the writer.
 *
 * @throws if the stream does not follow the format.
 */
export function unsnappy(packed: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < packed.length; ) {
    const kind = packed.readUInt8(at)
    const length = packed.readUIntLE(at + 1, 3)
    const body = packed.subarray(at + 4, at + 4 + length)
    if (body.length !== length) throw new Error('a chunk is cut off')
    if (at === 0 && (kind !== 0xff || body.toString('latin1') !== 'sNaPpY')) throw new Error('no identifier')
    if (kind < 2) pieces.push(checked(kind === 0 ? decompress(body.subarray(4)) : body.subarray(4), body))
    at += 4 + length
  }
  return Buffer.concat(pieces)
}

function checked(plain: Buffer, body: Buffer): Buffer {
  const sum = crc32c(plain)
  const masked = (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0
  if (masked !== body.readUInt32LE(0)) throw new Error('a sum is wrong')
  if (plain.length > 65_536) throw new Error('a chunk is too large')
  return plain
}

function decompress(body: Buffer): Buffer {
  const { size, bytes: sizeBytes } = sizeOf(body)
  const out = Buffer.alloc(size)
  let end = 0
  for (let at = sizeBytes; at < body.length; ) {
    const tag = body.readUInt8(at++)
    if ((tag & 3) === 0) {
      const { length, bytes } = literalOf(tag, body, at)
      at += bytes
      end += body.copy(out, end, at, at + length)
      at += length
    } else {
      const { length, offset, bytes } = copyOf(tag, body, at)
      at += bytes
      end = repeat(out, end, { length, offset })
    }
  }
  if (end !== size) throw new Error('a chunk is not as long as it says')
  return out
}

function repeat(out: Buffer, end: number, { length, offset }: { length: number; offset: number }): number {
  if (offset === 0 || offset > end) throw new Error('a copy from before the start')
  for (let at = end; at < end + length; at++) out[at] = out[at - offset] ?? 0
  return end + length
}

function sizeOf(body: Buffer): { size: number; bytes: number } {
  let size = 0
  for (let bytes = 0; ; bytes++) {
    const byte = body.readUInt8(bytes)
    size |= (byte & 127) << (7 * bytes)
    if (byte < 128) return { size, bytes: bytes + 1 }
  }
}

function literalOf(tag: number, body: Buffer, at: number): { length: number; bytes: number } {
  const short = tag >> 2
  const bytes = Math.max(short - 59, 0)
  return { length: (bytes > 0 ? body.readUIntLE(at, bytes) : short) + 1, bytes }
}

function copyOf(tag: number, body: Buffer, at: number): { length: number; offset: number; bytes: number } {
  if ((tag & 3) === 1)
    return { length: ((tag >> 2) & 7) + 4, offset: ((tag >> 5) << 8) | body.readUInt8(at), bytes: 1 }
  const bytes = (tag & 3) === 2 ? 2 : 4
  return { length: (tag >> 2) + 1, offset: body.readUIntLE(at, bytes), bytes }
}
