/** What decodes or encodes pictures in WebAssembly. */
export type Codec = 'jpeg' | 'png' | 'webp' | 'avif' | 'encoder'

/** Where each lies among the packages; inside the executable it is `codecs/<name>.wasm`. */
export const codecFiles: Readonly<Record<Codec, string>> = {
  jpeg: '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  png: '@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
  webp: '@jsquash/webp/codec/dec/webp_dec.wasm',
  avif: '@jsquash/avif/codec/dec/avif_dec.wasm',
  encoder: '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
}
