import { constants, deflateRawSync, zstdCompressSync } from 'node:zlib'
import { bzip2 } from '#src/files/archive/codecs/bzip2.ts'
import { cut } from '#src/files/archive/codecs/free.ts'
import { lz4Block } from '#src/files/archive/codecs/lz4.ts'
import { snappyChunks } from '#src/files/archive/codecs/snappy.ts'
import { xz } from '#src/files/archive/codecs/xz/xz.ts'

/** How a block is compressed. What blocks become is joined as it is; some formats want a head and an end around it. */
export type Codec = 'deflate' | 'zstd' | 'bzip2' | 'xz' | 'lz4' | 'snappy'

/** Compresses one block. */
export interface BlockTask {
  kind: 'squeeze'
  codec: Codec
  bytes: Uint8Array
  /** What came just before, for `deflate`: matches may reach back into it. */
  before?: Uint8Array
}

export interface CompressedBlock {
  bytes: Uint8Array<ArrayBuffer>
}

const codecs: Record<Codec, (bytes: Uint8Array, before: Uint8Array | undefined) => Uint8Array> = {
  deflate: (bytes, before) =>
    deflateRawSync(bytes, {
      // The sync flush ends the block on a whole byte, so that blocks made apart can be joined (RFC 1951 §3.2.4).
      finishFlush: constants.Z_SYNC_FLUSH,
      chunkSize: largest(bytes),
      ...(before && { dictionary: before }),
    }),
  zstd: (bytes) => zstdCompressSync(bytes, { chunkSize: largest(bytes) }),
  bzip2,
  xz,
  lz4: lz4Block,
  snappy: snappyChunks,
}

/** Compresses a block; the answer has memory of its own. */
export function compressBlock({ codec, bytes, before }: BlockTask): CompressedBlock {
  const made = codecs[codec](bytes, before)
  return { bytes: hasOwnMemory(made) ? cut(made, made.length) : new Uint8Array(made) }
}

/** So that all comes out in one piece: what cannot be made smaller grows by less than this. */
function largest({ length }: Uint8Array): number {
  return length + (length >> 8) + 1024
}

// A little more than `Buffer.poolSize`, by how much is Node's own affair.
const poolBytes = Buffer.allocUnsafe(1).buffer.byteLength

/** Small buffers of Node share one piece of memory, which is not ours to give away. */
function hasOwnMemory(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset } = bytes
  return buffer instanceof ArrayBuffer && byteOffset === 0 && buffer.byteLength > poolBytes
}
