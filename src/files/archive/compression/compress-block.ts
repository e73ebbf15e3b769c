import { constants } from 'node:zlib'
import { cut } from '#src/core/memory/free.ts'
import { deflateRawSync, zstdCompressSync } from '#src/core/zlib/compress.ts'
import { bzip2 } from '#src/files/archive/codecs/bzip2.ts'
import { lz4Block } from '#src/files/archive/codecs/lz4.ts'
import { snappy } from '#src/files/archive/codecs/snappy.ts'
import { xz } from '#src/files/archive/codecs/xz.ts'

/** The compression of a block. Compressed blocks are concatenated; some formats add a header and a trailer. */
export type Codec = 'deflate' | 'zstd' | 'bzip2' | 'xz' | 'lz4' | 'snappy'

/** A task to compress one block. */
export interface BlockTask {
  kind: 'compress'
  codec: Codec
  bytes: Uint8Array
  /** For `deflate`: the bytes before the block, to which matches may refer. */
  before?: Uint8Array
  /** For `deflate`: the level, from 1 (fast) to 9. */
  level: number
}

export interface CompressedBlock {
  bytes: Uint8Array<ArrayBuffer>
}

type Compress = (
  bytes: Uint8Array,
  how: Pick<BlockTask, 'before' | 'level'>,
) => Uint8Array | Promise<Uint8Array>

const codecs: Record<Codec, Compress> = {
  deflate: (bytes, { before, level }) =>
    deflateRawSync(bytes, {
      // The sync flush ends the block at a byte boundary, so that blocks can be concatenated (RFC 1951 §3.2.4).
      finishFlush: constants.Z_SYNC_FLUSH,
      chunkSize: largest(bytes),
      level,
      ...(before && { dictionary: before }),
    }),
  zstd: (bytes) => zstdCompressSync(bytes, { chunkSize: largest(bytes) }),
  bzip2,
  xz,
  lz4: lz4Block,
  snappy,
}

/** Compresses a block. The result has its own memory, which can be transferred to another thread. */
export async function compressBlock({ codec, bytes, ...how }: BlockTask): Promise<CompressedBlock> {
  const made = await codecs[codec](bytes, how)
  return { bytes: hasOwnMemory(made) ? cut(made, made.length) : new Uint8Array(made) }
}

/** The maximum size of the output, so that zlib returns it in one chunk. Incompressible data grow by less than this. */
function largest({ length }: Uint8Array): number {
  return length + (length >> 8) + 1024
}

// Slightly more than `Buffer.poolSize`. The exact size is internal to Node.
const poolBytes = Buffer.allocUnsafe(1).buffer.byteLength

/** Whether a buffer has its own memory. Small buffers of Node share a pool, which must not be transferred. */
function hasOwnMemory(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset } = bytes
  return buffer instanceof ArrayBuffer && byteOffset === 0 && buffer.byteLength > poolBytes
}
