/**
 * Compresses to one stream of the framing format, with its identifier and checksums. Streams can be concatenated: the
 * identifier may be repeated (framing format, 4.1).
 */
export async function snappy(source: Uint8Array): Promise<Buffer> {
  const { Compressor } = await import('snappy')
  const compressor = new Compressor()
  return Buffer.concat([compressor.update(source), await compressor.finish()])
}
