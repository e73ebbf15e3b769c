import { free } from '#src/core/memory/free.ts'
import type { Codec, CompressedBlock } from './compress-block.ts'
import type { CompressionThreads, Output } from './output.ts'
import { isCompressible, isWorthIt, sampleBytes } from './sample.ts'
import { storedBlocks, storedLength } from './stored-blocks.ts'

/** The size of the deflate window: a block may refer to the last 32 KiB before it (RFC 1951 §2). */
const windowBytes = 32 * 1024

// After a block that was not worth compressing, this many bytes are stored as they are before a sample is tried. A sample
// takes 0.3 ms, which is short enough for the main thread.
const storedBytes = 8 * 1024 * 1024

export interface BlockOptions extends CompressionThreads {
  codec: Codec
  /** The number of bytes in one block. */
  blockBytes: number
  /** Whether a block may refer to the one before it. */
  isChained: boolean
}

/**
 * Splits its input into blocks, compresses as many in parallel as there are threads, and writes the results to `next`
 * in order. `end` writes the last block. It does not end `next`.
 *
 * With `deflate`, content that does not become smaller is stored as it is. The name of the file does not matter.
 */
export function createBlocks(next: Output, options: BlockOptions): Output {
  const { codec, blockBytes, isChained, compress, threads, level } = options
  const spare: Uint8Array<SharedArrayBuffer>[] = []
  const queue: Promise<CompressedBlock>[] = []
  // Shared memory, so that threads read blocks without a copy. Before each block is the window it may refer to.
  const head = isChained ? windowBytes : 0
  const newBlock = () => spare.pop() ?? new Uint8Array(new SharedArrayBuffer(head + blockBytes))
  let block = newBlock()
  let filled = 0
  let windowed = 0
  let storeBuffer: Buffer | undefined
  const trial = createTrial()
  const launch = () => {
    const own = block
    const bytes = own.subarray(head, head + filled)
    const before = own.subarray(head - windowed, head)
    const work = compress({ kind: 'compress', codec, bytes, level: level(), ...(windowed > 0 && { before }) })
    const done = work
      .then((result) => {
        if (codec === 'deflate') trial.judge(result.bytes.length, bytes.length)
        return result
      })
      .finally(() => spare.push(own))
    done.catch(() => undefined) // the error is thrown when `forwardNext` awaits it
    queue.push(done)
    block = newBlock()
    const window = isChained
      ? own.subarray(Math.max(head - windowed, filled + head - windowBytes), head + filled)
      : []
    windowed = window.length
    block.set(window, head - windowed)
    filled = 0
  }
  const forwardNext = async () => {
    const result = await queue.shift()
    if (!result) return
    await next.write(result.bytes)
    free(result.bytes)
  }

  /** Writes bytes that are not compressed. Only between two blocks. */
  const store = async (bytes: Uint8Array) => {
    while (queue.length > 0) await forwardNext()
    // Used again for each block: hundreds of new buffers a second would wait for the garbage collector.
    storeBuffer ??= Buffer.allocUnsafeSlow(storedLength(blockBytes))
    await next.write(storedBlocks(bytes, storeBuffer))
    windowed = 0
    trial.noteStored(bytes)
  }

  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        if (trial.isStoring() && filled === 0) {
          await store(bytes.subarray(at, at + blockBytes))
          at += blockBytes
          continue
        }
        const length = Math.min(blockBytes - filled, bytes.length - at)
        block.set(bytes.subarray(at, at + length), head + filled)
        filled += length
        at += length
        if (filled < blockBytes) continue
        launch()
        if (queue.length > threads) await forwardNext()
      }
    },
    async end() {
      if (filled > 0) launch()
      while (queue.length > 0) await forwardNext()
    },
    async stop() {
      await Promise.allSettled(queue)
    },
  }
}

/** Decides whether content is stored as it is, from what the compression of blocks and samples saves. */
function createTrial() {
  let isStoring = false
  let stored = 0
  return {
    isStoring: () => isStoring,
    /** Notes that a block of `length` bytes was compressed to `made` bytes. */
    judge(made: number, length: number): void {
      if (!isWorthIt(made, length)) isStoring = true
    },
    /** Notes bytes that were stored. Tries a sample from time to time. */
    noteStored(bytes: Uint8Array): void {
      stored += bytes.length
      if (stored < storedBytes) return
      stored = 0
      isStoring = !isCompressible(bytes.subarray(0, sampleBytes))
    },
  }
}
