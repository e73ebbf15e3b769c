/** The size of a page of WebAssembly memory, in bytes. */
export const pageBytes = 65_536

// WebAssembly core specification §5.5: a header of 8 bytes, then sections, each with an id, a length and a body.
const headerBytes = 8
const memorySection = 5

/**
 * Returns a copy of a WebAssembly module whose memory cannot grow beyond `mostBytes`. The engine enforces the limit for
 * all code inside the module.
 *
 * @throws Error when the module does not define exactly one plain memory.
 */
export function capMemory(module: Uint8Array, mostBytes: number): Uint8Array {
  for (let at = headerBytes; at < module.length; ) {
    const [length, body] = readNumber(module, at + 1)
    const end = body + length
    if (module[at] === memorySection) {
      const capped = section(module, body, Math.floor(mostBytes / pageBytes))
      return Buffer.concat([module.subarray(0, at), capped, module.subarray(end)])
    }
    at = end
  }
  throw new Error('the WebAssembly module has no memory of its own')
}

/** Returns the memory section with the new maximum. */
function section(module: Uint8Array, body: number, mostPages: number): Uint8Array {
  const [count, flags] = readNumber(module, body)
  // 0: no maximum, 1: with a maximum. Other values mean shared or 64-bit memory, which no codec has.
  const isPlain = count === 1 && (module[flags] === 0 || module[flags] === 1)
  if (!isPlain) throw new Error('the WebAssembly module has another kind of memory')
  const [leastPages] = readNumber(module, flags + 1)
  const limits = [1, 1, ...writeNumber(leastPages), ...writeNumber(mostPages)]
  return Uint8Array.from([memorySection, ...writeNumber(limits.length), ...limits])
}

/** Reads an unsigned LEB128 number, seven bits per byte. Returns it and the offset of the next byte. */
function readNumber(bytes: Uint8Array, start: number): [value: number, next: number] {
  let value = 0
  for (let at = start, factor = 1; at < bytes.length; at++, factor *= 128) {
    const byte = bytes[at] as number
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return [value, at + 1]
  }
  throw new Error('the WebAssembly module is cut off')
}

function writeNumber(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(Math.floor(value / 128))]
}
