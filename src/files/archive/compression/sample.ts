import { readSync } from 'node:fs'
import { deflateRawSync } from '#src/core/zlib/compress.ts'

/** Content that becomes smaller by less than this share is not worth the time of compressing it. */
export const leastSaving = 0.03

/** The size of one sample, in bytes. Compressing it takes 0.3 ms. */
export const sampleBytes = 16 * 1024

// Files below this size have two samples, larger ones six: reading a sample from a disk that turns takes 10 ms.
const fewSamplesBytes = 1024 * 1024

/** Whether a sample becomes smaller by compression. */
export function isCompressible(sample: Uint8Array): boolean {
  return deflateRawSync(sample, { level: 1 }).length <= sample.length * (1 - leastSaving)
}

/**
 * Whether compressing an open file of `size` bytes makes it smaller. Tries samples from its beginning to its end, until one
 * becomes smaller. Waits for the disk, so it belongs in a worker thread.
 *
 * @param size at least `sampleBytes`
 */
export function isFileCompressible(fd: number, size: number): boolean {
  const last = size < fewSamplesBytes ? 1 : 5
  const sample = Buffer.allocUnsafe(sampleBytes)
  for (let number = 0; number <= last; number++) {
    const from = Math.floor(((size - sampleBytes) / last) * number)
    const length = readSync(fd, sample, 0, sampleBytes, from)
    // The file has become shorter: the rest will be zeros.
    if (length < sampleBytes || isCompressible(sample)) return true
  }
  return false
}
