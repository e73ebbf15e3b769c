import { constants, deflateRawSync, zstdCompressSync } from 'node:zlib'

/** How a block is compressed. All but `deflate` make a stream of its own of each, and such streams may follow each other. */
export type Codec = 'deflate' | 'zstd'

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

const codecs: Record<Codec, (task: Squeeze) => Uint8Array> = {
  // The sync flush ends the block on a whole byte, so that blocks made apart can be joined (RFC 1951 §3.2.4).
  deflate: ({ bytes, before }) =>
    deflateRawSync(bytes, {
      finishFlush: constants.Z_SYNC_FLUSH,
      ...(before && { dictionary: before }),
    }),
  zstd: ({ bytes }) => zstdCompressSync(bytes),
}

/** Compresses a block; the answer has memory of its own. */
export function squeeze(task: Squeeze): Squeezed {
  const bytes = codecs[task.codec](task)
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
  return { bytes: isWhole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes) }
}
