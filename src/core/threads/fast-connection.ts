const windowBytes = 1024 * 1024
const windowMs = 10
// Below this, starting a thread takes longer than it saves.
const leastBytes = 32 * 1024 * 1024

/**
 * Returns a function that tells whether a thread should send or receive the rest of `expected` bytes: enough of them are
 * left, and the connection is fast (100 MB/s). A slow client would occupy a thread for nothing.
 */
export function createSpeedCheck(expected: number): (done: number) => boolean {
  let windowStart = performance.now()
  let windowEnd = windowBytes
  return (done) => {
    if (done < windowEnd) return false
    const now = performance.now()
    const isFast = now - windowStart <= windowMs
    windowStart = now
    windowEnd = done + windowBytes
    return isFast && expected - done >= leastBytes
  }
}
