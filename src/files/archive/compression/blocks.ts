import { free } from '#src/files/archive/codecs/free.ts'
import type { Codec, CompressedBlock } from './compress-block.ts'
import type { CompressionThreads, Output } from './output.ts'

/** The size of the deflate window: a block may refer to the last 32 KiB before it (RFC 1951 §2). */
const windowBytes = 32 * 1024

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
 */
export function createBlocks(next: Output, options: BlockOptions): Output {
  const { codec, blockBytes, isChained, compress: squeeze, threads } = options
  const spare: Uint8Array<SharedArrayBuffer>[] = []
  const queue: Promise<CompressedBlock>[] = []
  // Shared memory, so that threads read blocks without a copy. Before each block is the window it may refer to.
  const head = isChained ? windowBytes : 0
  const newBlock = () => spare.pop() ?? new Uint8Array(new SharedArrayBuffer(head + blockBytes))
  let block = newBlock()
  let filled = 0
  let windowed = 0

  const launch = () => {
    const own = block
    const bytes = own.subarray(head, head + filled)
    const before = own.subarray(head - windowed, head)
    const work = squeeze({ kind: 'squeeze', codec, bytes, ...(windowed > 0 && { before }) })
    const done = work.finally(() => spare.push(own))
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

  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
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
