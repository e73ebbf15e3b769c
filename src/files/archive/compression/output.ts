import type { BlockTask, CompressedBlock } from './compress-block.ts'

/** Where the bytes of an archive go, in order. */
export interface Output {
  /** Settles when the memory of `bytes` may be used again and more may come. */
  write(bytes: Uint8Array): Promise<void>
  /** Writes what is held back and the end of the format. */
  end(): Promise<void>
  /** Waits for work under way, whose results nobody wants any more. */
  stop(): Promise<void>
}

/** Compresses one block in a thread. */
export type Squeezer = (task: BlockTask) => Promise<CompressedBlock>

/** How many blocks are compressed at once. */
export interface Crew {
  squeeze: Squeezer
  threads: number
}

/** An output that passes on what it gets to `write`, as it is. */
export function plainOutput(write: (bytes: Uint8Array) => Promise<void>): Output {
  return { write, end: async () => {}, stop: async () => {} }
}
