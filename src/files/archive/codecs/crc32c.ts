/** Four tables, to process four bytes in one step. */
const tables = makeTables()

function makeTables(): Int32Array[] {
  const first = new Int32Array(256)
  for (let byte = 0; byte < 256; byte++) {
    let sum = byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1
    first[byte] = sum
  }
  const all = [first]
  for (let step = 1; step < 4; step++) {
    const before = all[step - 1] ?? first
    all.push(before.map((sum) => (sum >>> 8) ^ (first[sum & 0xff] ?? 0)))
  }
  return all
}

/** Computes CRC-32C (Castagnoli, RFC 3720 appendix B.4). Node has no function for it. */
export function crc32c(bytes: Uint8Array): number {
  const [t0, t1, t2, t3] = tables as [Int32Array, Int32Array, Int32Array, Int32Array]
  let sum = -1
  let at = 0
  for (; at + 4 <= bytes.length; at += 4) {
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
    sum ^= low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
    const high = (t1[(sum >>> 16) & 0xff] ?? 0) ^ (t0[sum >>> 24] ?? 0)
    sum = (t3[sum & 0xff] ?? 0) ^ (t2[(sum >>> 8) & 0xff] ?? 0) ^ high
  }
  for (; at < bytes.length; at++) sum = (sum >>> 8) ^ (t0[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
  return ~sum >>> 0
}
