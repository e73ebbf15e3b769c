const pieceBytes = 64 * 1024

/** Collects many small buffers into a few large ones, because buffer objects take more memory than small contents. */
export function createBufferList() {
  const full: Buffer[] = []
  let last = Buffer.alloc(0)
  let filled = 0
  return {
    /** Copies `bytes` to the end. */
    add(bytes: Buffer): void {
      if (filled + bytes.length > last.length) {
        if (filled > 0) full.push(last.subarray(0, filled))
        last = Buffer.allocUnsafeSlow(Math.max(pieceBytes, bytes.length))
        filled = 0
      }
      last.set(bytes, filled)
      filled += bytes.length
    },
    /** Returns all bytes, in order. */
    pieces(): Buffer[] {
      return filled > 0 ? [...full, last.subarray(0, filled)] : full
    },
  }
}
