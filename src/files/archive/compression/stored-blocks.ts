// RFC 1951 §3.2.4: the length of a stored block is a 16-bit number.
const mostBytes = 0xffff
const headerBytes = 5

/** The length of `length` bytes as stored blocks. */
export function storedLength(length: number): number {
  return length + Math.ceil(length / mostBytes) * headerBytes
}

/**
 * Writes bytes as stored blocks of a deflate stream (RFC 1951 §3.2.4), none of them the last one. They begin and end at
 * a byte boundary.
 *
 * @param made receives them: at least `storedLength` bytes
 * @returns the part of `made` that was filled
 */
export function storedBlocks(bytes: Uint8Array, made: Buffer): Uint8Array {
  let to = 0
  for (let at = 0; at < bytes.length; at += mostBytes) {
    const piece = bytes.subarray(at, at + mostBytes)
    made[to] = 0
    made.writeUInt16LE(piece.length, to + 1)
    made.writeUInt16LE(piece.length ^ 0xffff, to + 3)
    made.set(piece, to + headerBytes)
    to += headerBytes + piece.length
  }
  return made.subarray(0, to)
}
