const windowBytes = 1024 * 1024
const windowMs = 10
// Below this, starting a thread takes longer than it saves.
const leastBytes = 32 * 1024 * 1024

/**
 * Returns a function that tells whether a body of `expected` bytes should be received by a thread: enough of it is left,
 * and its sender is fast (100 MB/s). A slow sender would occupy a thread for nothing.
 */
export function createSpeedCheck(expected: number): (received: number) => boolean {
  let windowStart = performance.now()
  let windowEnd = windowBytes
  return (received) => {
    if (received < windowEnd) return false
    const now = performance.now()
    const isFast = now - windowStart <= windowMs
    windowStart = now
    windowEnd = received + windowBytes
    return isFast && expected - received >= leastBytes
  }
}
