import { crc32 } from 'node:zlib'
import { free } from '#src/core/memory/free.ts'
import { lzma2 } from './lzma2.ts'

/** The maximum input of one stream. It is also the dictionary size, 2 << 19, which has the code 16. */
export const xzMaxBytes = 1024 * 1024
const dictionaryCode = 16

// The .xz File Format 1.2.1, with CRC32 as the integrity check.
const flags = Buffer.from([0, 1])
const blockHeader = Buffer.from([2, 0, 0x21, 1, dictionaryCode, 0, 0, 0])

/** Compresses to one xz stream of one block. Streams can be concatenated, so many can be made in parallel. */
export function xz(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = withSum(blockHeader)
  const data = lzma2(source)
  const sum = uint32(crc32(source))
  const index = indexOf(header.length + data.length + sum.length, source.length)
  const size = Buffer.concat([uint32(index.length / 4 - 1), flags])
  const parts = [
    Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
    withSum(flags),
    header,
    data,
    padding(data.length),
    sum,
    index,
    uint32(crc32(size)),
    size,
    Buffer.from('YZ'),
  ]
  const out = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  free(data)
  return out
}

/** Makes the index with one record: the size of the block without padding, and its uncompressed size. */
function indexOf(unpadded: number, plain: number): Buffer {
  const records = Buffer.concat([Buffer.from([0, 1]), number(unpadded), number(plain)])
  return withSum(Buffer.concat([records, padding(records.length)]))
}

function withSum(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, uint32(crc32(bytes))])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** Encodes a variable-length integer: seven bits per byte, the lowest first. */
function number(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128)
  return Buffer.from([...bytes, left])
}

function padding(length: number): Buffer {
  return Buffer.alloc((4 - (length % 4)) % 4)
}
