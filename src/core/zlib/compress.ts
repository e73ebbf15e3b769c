import zlib from 'node:zlib'
import { uninterrupted } from './uninterrupted.ts'

// The synchronous calls of `node:zlib` for worker threads. Threads use no others (`house.test.ts`): a thread that is
// ended in such a call ends the process (`uninterrupted.ts`).

/** @see zlib.deflateRawSync */
export const deflateRawSync: typeof zlib.deflateRawSync = (bytes, options) =>
  uninterrupted(() => zlib.deflateRawSync(bytes, options))

/** @see zlib.zstdCompressSync */
export const zstdCompressSync: typeof zlib.zstdCompressSync = (bytes, options) =>
  uninterrupted(() => zlib.zstdCompressSync(bytes, options))

/** @see zlib.brotliCompressSync */
export const brotliCompressSync: typeof zlib.brotliCompressSync = (bytes, options) =>
  uninterrupted(() => zlib.brotliCompressSync(bytes, options))

/** @see zlib.gzipSync */
export const gzipSync: typeof zlib.gzipSync = (bytes, options) =>
  uninterrupted(() => zlib.gzipSync(bytes, options))

/** @see zlib.brotliDecompressSync */
export const brotliDecompressSync: typeof zlib.brotliDecompressSync = (bytes, options) =>
  uninterrupted(() => zlib.brotliDecompressSync(bytes, options))
