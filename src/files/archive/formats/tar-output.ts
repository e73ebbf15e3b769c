import { createBlocks } from '#src/files/archive/compression/blocks.ts'
import type { Codec } from '#src/files/archive/compression/compress-block.ts'
import type { CompressionThreads, Output } from '#src/files/archive/compression/output.ts'
import { fastChecksum } from './checksum.ts'
import { lastDeflateBlock } from './zip-writer.ts'

/** Creates an output that compresses to one gzip member (RFC 1952) on all threads and writes it to `next`. */
export function gzipOutput(next: Output, compression: CompressionThreads): Output {
  const blocks = createBlocks(next, {
    ...compression,
    codec: 'deflate',
    blockBytes: 512 * 1024,
    isChained: true,
  })
  // No file name, no modification time, and the operating system "Unix".
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  const checksum = fastChecksum()
  let crc = 0
  let size = 0
  const writeHead = async () => {
    if (size === 0) await next.write(head)
  }
  return {
    async write(bytes) {
      if (bytes.length === 0) return
      await writeHead()
      crc = (await checksum)(bytes, crc)
      size += bytes.length
      await blocks.write(bytes)
    },
    async end() {
      await writeHead()
      await blocks.end()
      const tail = Buffer.alloc(8)
      tail.writeUInt32LE(crc, 0)
      tail.writeUInt32LE(size % 2 ** 32, 4)
      await next.write(Buffer.concat([lastDeflateBlock, tail]))
      await next.end()
    },
    stop: () => blocks.stop(),
  }
}

/** The format of a stream of compressed blocks. */
export interface BlockFormat {
  codec: Codec
  /** The number of bytes in one block. */
  blockBytes: number
  head?: Buffer
  tail?: Buffer
}

/**
 * Creates an output that compresses blocks on all threads and writes them to `next`, between the header and trailer.
 */
export function blocksOutput(
  next: Output,
  compression: CompressionThreads,
  { head, tail, ...how }: BlockFormat,
): Output {
  const blocks = createBlocks(next, { ...compression, ...how, isChained: false })
  let hasHead = false
  const writeHead = async () => {
    if (hasHead) return
    hasHead = true
    if (head) await next.write(head)
  }
  return {
    async write(bytes) {
      await writeHead()
      await blocks.write(bytes)
    },
    async end() {
      await writeHead()
      await blocks.end()
      if (tail) await next.write(tail)
      await next.end()
    },
    stop: blocks.stop,
  }
}
