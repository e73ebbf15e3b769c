/**
 * Gives memory back that nothing refers to any more, at once. Results that threads hand over would otherwise lie around
 * until the next collection, which takes tens of megabytes to be thought worth while. No two arrays may share memory.
 */
export function free(...arrays: { readonly buffer: ArrayBuffer }[]): void {
  for (const { buffer } of arrays) buffer.transfer(0)
}

/** The first `length` bytes of an array that has its memory for itself, whose rest is given back. */
export function cut(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.buffer.transfer(length))
}
