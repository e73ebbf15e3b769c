// The maximum number of bits of a code (GIF89a appendix F).
const mostBits = 12
const mostCodes = 1 << mostBits

/**
 * Decompresses the LZW data of a GIF at `start` into `into`. Returns the number of pixels that were filled. Stops where
 * the data ends or is invalid. A table entry refers only to earlier ones, so the time is bounded by the lengths of the
 * data and the picture.
 */
export function decompressLzw(bytes: Buffer, start: number, into: Uint8Array): number {
  const first = bytes.readUInt8(start)
  if (first < 1 || first >= mostBits) return 0
  const table = createTable(first, into)
  const read = codeReader(bytes, start + 1)
  let filled = 0
  while (filled < into.length) {
    const code = read(table.codeBits())
    if (code === table.clear) table.reset()
    else {
      const length = table.expand(code, filled)
      if (length === 0) break
      filled += length
    }
  }
  return Math.min(filled, into.length)
}

/** Creates the table of strings that the codes define. It writes the strings to `into`. */
function createTable(first: number, into: Uint8Array) {
  const clear = 1 << first
  const end = clear + 1
  // A string is the string of its prefix and one more pixel.
  const prefixes = new Uint16Array(mostCodes)
  const suffixes = new Uint8Array(mostCodes)
  const lengths = new Uint16Array(mostCodes).fill(1)
  let next = end + 1
  let bits = first + 1
  let previous = -1

  /** Adds the string of the previous code plus the first pixel of the current one, which is already at `at`. */
  function add(at: number): void {
    prefixes[next] = previous
    suffixes[next] = into[at] ?? 0
    next++
    if (next === 1 << bits && bits < mostBits) bits++
  }

  /** Writes a string from its end to its start. Ignores pixels beyond the end of the picture. */
  function write(code: number, start: number): void {
    let at = start + (lengths[code] as number) - 1
    let current = code
    for (; current > end; current = prefixes[current] as number) into[at--] = suffixes[current] as number
    into[at] = current
  }

  function isKnown(code: number): boolean {
    if (previous < 0) return code >= 0 && code < clear
    return code >= 0 && code !== end && code <= next && code < mostCodes
  }

  return {
    clear,
    codeBits: () => bits,
    reset(): void {
      next = end + 1
      bits = first + 1
      previous = -1
    },
    /** Writes the string of a code at `start`. Returns its length; 0 at the end of the data or for an unknown code. */
    expand(code: number, start: number): number {
      if (!isKnown(code)) return 0
      const isFull = previous < 0 || next === mostCodes
      if (!isFull) lengths[next] = (lengths[previous] as number) + 1
      // A code that is defined by its own use is the previous string plus its first pixel.
      const isOwn = code === next
      write(isOwn ? previous : code, start)
      const length = lengths[code] as number
      if (isOwn) into[start + length - 1] = into[start] ?? 0
      if (!isFull) add(start)
      previous = code
      return length
    },
  }
}

/** Returns a function that reads codes of `size` bits from sub-blocks, the lowest bit first, and -1 at their end. */
function codeReader(bytes: Buffer, start: number): (size: number) => number {
  let at = start
  let blockEnd = start
  let held = 0
  let bits = 0
  return (size) => {
    for (; bits < size; bits += 8) {
      if (at === blockEnd) blockEnd = at + 1 + (bytes[at++] ?? 0)
      if (at >= Math.min(blockEnd, bytes.length)) return -1
      held |= (bytes[at++] as number) << bits
    }
    const code = held & ((1 << size) - 1)
    held >>>= size
    bits -= size
    return code
  }
}
