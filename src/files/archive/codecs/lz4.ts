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
export async function lz4Block(source: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  // Imported with the first block: most archives have another format.
  const { compressSync } = await import('lz4-napi')
  const made = compressSync(Buffer.from(source.buffer, source.byteOffset, source.length))
  // The library writes the length of the source before the block. A frame has the length of the block there.
  const packed = made.subarray(4)
  const isSmaller = packed.length < source.length
  const content = isSmaller ? packed : source
  // A copy, because the memory of the library cannot be transferred to another thread.
  const block = new Uint8Array(4 + content.length)
  block.set(content, 4)
  new DataView(block.buffer).setUint32(0, isSmaller ? content.length : content.length | 0x80000000, true)
  return block
}
