import type { BlockTask, CompressedBlock } from './compress-block.ts'

/** A sink for the bytes of an archive, in order. */
export interface Output {
  /** Resolves when the memory of `bytes` can be reused and the next `write` may follow. */
  write(bytes: Uint8Array): Promise<void>
  /** Writes the buffered bytes and the end of the format. */
  end(): Promise<void>
  /** Waits for running work and discards its results. */
  stop(): Promise<void>
}

/** Compresses one block on a worker thread. */
export type CompressBlock = (task: BlockTask) => Promise<CompressedBlock>

/** The worker threads that compress blocks. `threads` is the number of blocks in parallel. */
export interface CompressionThreads {
  compress: CompressBlock
  /** The level of deflate for the next block. */
  level(): number
  threads: number
}

/** Creates an output that passes all bytes to `write` unchanged. */
export function plainOutput(write: (bytes: Uint8Array) => Promise<void>): Output {
  return { write, end: async () => {}, stop: async () => {} }
}
