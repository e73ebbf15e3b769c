import { readSync } from 'node:fs'
import { deflateRawSync } from '#src/core/zlib/compress.ts'

// Content that becomes smaller by less than this share is not worth the time of compressing it.
const leastSaving = 0.03

/** The size of one sample, in bytes. Compressing it takes 0.3 ms. */
export const sampleBytes = 16 * 1024

// Two samples of files below this size, six of larger ones: a hard disk takes 10 ms to read each.
const fewSamplesBytes = 1024 * 1024

/** Whether it was worth the time to compress `length` bytes to `packed` bytes. */
export function isWorthIt(packed: number, length: number): boolean {
  return packed <= length * (1 - leastSaving)
}

/** Whether a sample becomes smaller by compression. */
export function isCompressible(sample: Uint8Array): boolean {
  return isWorthIt(deflateRawSync(sample, { level: 1 }).length, sample.length)
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
