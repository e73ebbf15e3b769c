// The largest code has this many bits (GIF89a appendix F).
const mostBits = 12
const mostCodes = 1 << mostBits

/**
 * Decompresses the LZW data of a GIF at `start` into `into` and answers how many places were filled. Stops where the data
 * ends or makes no sense. An entry of the table refers to earlier ones only, so that the time is bounded by the lengths of
 * data and picture.
 */
export function decompress(bytes: Buffer, start: number, into: Uint8Array): number {
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

/** The table of strings that the codes so far have made. It writes them `into` the picture. */
function createTable(first: number, into: Uint8Array) {
  const clear = 1 << first
  const end = clear + 1
  // A string is that of its prefix and one more place.
  const prefixes = new Uint16Array(mostCodes)
  const suffixes = new Uint8Array(mostCodes)
  const lengths = new Uint16Array(mostCodes).fill(1)
  let next = end + 1
  let bits = first + 1
  let previous = -1

  /** Adds the string of the previous code and the beginning of this one, which lies at `at` by now. */
  function add(at: number): void {
    prefixes[next] = previous
    suffixes[next] = into[at] ?? 0
    next++
    if (next === 1 << bits && bits < mostBits) bits++
  }

  /** Writes a string from its end. Places beyond the end of the picture are not kept. */
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
    /** Writes what a code stands for at `start` and answers its length; 0 when it ends the data or is not in the table. */
    expand(code: number, start: number): number {
      if (!isKnown(code)) return 0
      const isFull = previous < 0 || next === mostCodes
      if (!isFull) lengths[next] = (lengths[previous] as number) + 1
      // A code that makes its own string stands for the previous one and its beginning.
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

/** Reads codes of so many bits from sub-blocks, the lowest bit first; -1 at their end. */
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
