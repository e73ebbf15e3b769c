/** How much is read from a user's file at once when its reader keeps up. */
export const largeBytes = 512 * 1024

// All downloads together hold at most this many large buffers: 64 MiB. Beyond it they go on with small ones.
const limit = 128
// What stays allocated between downloads: 4 MiB, enough for a few at full speed.
const kept = 8

let lent = 0
const free: Buffer[] = []

/** Lends one large buffer; undefined when as many as memory may bear are in use. Its old content is still there. */
export function borrow(): Buffer | undefined {
  if (lent >= limit) return undefined
  lent += 1
  return free.pop() ?? Buffer.allocUnsafeSlow(largeBytes)
}

/** Takes a buffer back that nothing reads from or writes into any more. */
export function giveBack(buffer: Buffer): void {
  lent -= 1
  if (free.length < kept) free.push(buffer)
}

/** Takes a buffer off the books that the system may still be using: it is not lent again. */
export function writeOff(): void {
  lent -= 1
}

/** How many large buffers are lent at this moment. */
export function lentBuffers(): number {
  return lent
}
