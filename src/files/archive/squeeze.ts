import { constants, deflateRawSync, zstdCompressSync } from 'node:zlib'
import { bzip2 } from './codecs/bzip2.ts'
import { lz4Block } from './codecs/lz4.ts'
import { snappyChunks } from './codecs/snappy.ts'
import { xz } from './codecs/xz.ts'

/** How a block is compressed. What blocks become is joined as it is; some formats want a head and an end around it. */
export type Codec = 'deflate' | 'zstd' | 'bzip2' | 'xz' | 'lz4' | 'snappy'

/** Compresses one block. */
export interface Squeeze {
  kind: 'squeeze'
  codec: Codec
  bytes: Uint8Array
  /** What came just before, for `deflate`: matches may reach back into it. */
  before?: Uint8Array
}

export interface Squeezed {
  bytes: Uint8Array<ArrayBuffer>
}

const codecs: Record<Codec, (bytes: Uint8Array, before: Uint8Array | undefined) => Uint8Array> = {
  deflate: (bytes, before) =>
    deflateRawSync(bytes, {
      // The sync flush ends the block on a whole byte, so that blocks made apart can be joined (RFC 1951 §3.2.4).
      finishFlush: constants.Z_SYNC_FLUSH,
      // All in one piece: what cannot be made smaller grows by less than this.
      chunkSize: bytes.length + (bytes.length >> 8) + 1024,
      ...(before && { dictionary: before }),
    }),
  zstd: (bytes) => zstdCompressSync(bytes),
  bzip2,
  xz,
  lz4: lz4Block,
  snappy: snappyChunks,
}

/** Compresses a block; the answer has memory of its own. */
export function squeeze({ codec, bytes, before }: Squeeze): Squeezed {
  const made = codecs[codec](bytes, before)
  const isWhole = made.buffer instanceof ArrayBuffer && made.byteLength === made.buffer.byteLength
  return { bytes: isWhole ? (made as Uint8Array<ArrayBuffer>) : new Uint8Array(made) }
}
