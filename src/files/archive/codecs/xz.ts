/** The maximum input of one stream. */
export const xzMaxBytes = 1024 * 1024

// Its dictionary of 1 MiB is as long as the input. Preset 6 has 8 MiB, and takes five times as long to save a tenth more.
const preset = 1

/** Compresses to one xz stream. Streams can be concatenated, so many can be made in parallel. */
export async function xz(source: Uint8Array): Promise<Buffer> {
  const { XzCompressor } = await import('@napi-rs/lzma')
  const compressor = new XzCompressor({ preset })
  return Buffer.concat([compressor.update(source), await compressor.finish()])
}
