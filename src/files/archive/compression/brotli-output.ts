import { constants, createBrotliCompress } from 'node:zlib'
import type { Output } from './output.ts'

// What the web uses for answers made on the fly: most of the gain, at a speed that one core keeps up.
const quality = 5

/**
 * Wraps `next` so that it gets one brotli stream (RFC 7932). The format has no way to join streams that were made apart,
 * so this one is the work of a single thread, one of the system's own.
 */
export function brotliOutput(next: Output): Output {
  const brotli = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
  let made: Buffer[] = []
  let failed: Error | undefined
  brotli.on('data', (piece: Buffer) => made.push(piece))
  brotli.on('error', (error) => {
    failed = error
  })
  const pass = async () => {
    if (failed) throw failed
    const pieces = made
    made = []
    for (const piece of pieces) await next.write(piece)
  }
  return {
    async write(bytes) {
      // The stream calls back when it is done with these bytes, so their memory may be used again.
      await new Promise<void>((resolve) => brotli.write(bytes, () => resolve()))
      await pass()
    },
    async end() {
      await new Promise<void>((resolve, reject) => {
        brotli.once('end', resolve).once('error', reject)
        brotli.end()
      })
      await pass()
      await next.end()
    },
    async stop() {
      brotli.destroy()
    },
  }
}
