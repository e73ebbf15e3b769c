/**
 * Frees the memory of arrays at once. The arrays must not be used afterwards, and must not share memory. Otherwise the
 * results of worker threads would stay until the next garbage collection, which starts only after tens of megabytes.
 */
export function free(...arrays: { readonly buffer: ArrayBuffer }[]): void {
  for (const { buffer } of arrays) buffer.transfer(0)
}

/** Returns the first `length` bytes and frees the rest. The array must be the only one on its memory. */
export function cut(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.buffer.transfer(length))
}
