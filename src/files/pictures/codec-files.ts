/** The WebAssembly decoders and the encoder for pictures. */
export type Codec = 'jpeg' | 'png' | 'webp' | 'avif' | 'encoder'

/** The path of each in the packages. Inside the executable it is `codecs/<name>.wasm`. */
export const codecFiles: Readonly<Record<Codec, string>> = {
  jpeg: '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  png: '@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
  webp: '@jsquash/webp/codec/dec/webp_dec.wasm',
  avif: '@jsquash/avif/codec/dec/avif_dec.wasm',
  encoder: '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
}
