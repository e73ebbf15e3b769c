import { constants, createBrotliCompress } from 'node:zlib'
import type { Output } from './output.ts'

// The usual level for dynamic web responses: most of the savings at a good speed on one core.
const quality = 5

/**
 * Compresses to one Brotli stream (RFC 7932), which it writes to `next`. Brotli streams cannot be concatenated, so a
 * single thread of libuv makes the whole stream.
 */
export function brotliOutput(next: Output): Output {
  const brotli = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
  let made: Buffer[] = []
  let failed: Error | undefined
  brotli.on('data', (piece: Buffer) => made.push(piece))
  brotli.on('error', (error) => {
    failed = error
  })
  const forward = async () => {
    if (failed) throw failed
    const pieces = made
    made = []
    for (const piece of pieces) await next.write(piece)
  }
  return {
    async write(bytes) {
      // The callback is called when the stream no longer needs these bytes, so their memory can be reused.
      await new Promise<void>((resolve) => brotli.write(bytes, () => resolve()))
      await forward()
    },
    async end() {
      await new Promise<void>((resolve, reject) => {
        brotli.once('end', resolve).once('error', reject)
        brotli.end()
      })
      await forward()
      await next.end()
    },
    async stop() {
      brotli.destroy()
    },
  }
}
