/** The size of one read from a file, in bytes, while the client keeps up. */
export const largeBytes = 512 * 1024

// All downloads together use at most this many large buffers: 64 MiB. Beyond this they continue with small ones.
const limit = 128
// The buffers that stay allocated between downloads: 4 MiB, enough for a few at full speed.
const maxFree = 8

let inUse = 0
const free: Buffer[] = []

/** Takes one large buffer from the pool; undefined when the limit is reached. The buffer is not cleared. */
export function acquireBuffer(): Buffer | undefined {
  if (inUse >= limit) return undefined
  inUse += 1
  return free.pop() ?? Buffer.allocUnsafeSlow(largeBytes)
}

/** Returns a buffer that nothing reads from or writes to any more. */
export function releaseBuffer(buffer: Buffer): void {
  inUse -= 1
  if (free.length < maxFree) free.push(buffer)
}

/** Removes a buffer from the pool that the system may still be using, so that it is never used again. */
export function discardBuffer(): void {
  inUse -= 1
}

/** The number of large buffers in use. */
export function buffersInUse(): number {
  return inUse
}
