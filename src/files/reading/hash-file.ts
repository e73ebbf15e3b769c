import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import type { ChecksumAlgorithm } from '#contract/resources.ts'

/** A file to hash: an open file descriptor of this process, valid in all its threads. */
export interface HashTask {
  fd: number
  algorithm: ChecksumAlgorithm
}

/** The digest of a whole file in lower-case hex. Synchronous, for worker threads. */
export function hashFile({ fd, algorithm }: HashTask): string {
  const hash = createHash(algorithm)
  const buffer = Buffer.allocUnsafeSlow(1024 * 1024)
  for (let position = 0; ; ) {
    const length = readSync(fd, buffer, 0, buffer.length, position)
    if (length === 0) return hash.digest('hex')
    hash.update(buffer.subarray(0, length))
    position += length
  }
}
