import { free } from '#src/core/memory/free.ts'
import { type Bits, createBits } from './bits.ts'
import { transform } from './burrows-wheeler.ts'
import { codeLengths, codesOf } from './huffman.ts'

/**
 * The maximum input of one stream. Run-length encoding adds at most a quarter, so it always fits into one block of
 * 900,000 bytes.
 */
export const bzip2MaxBytes = 700_000

const groupSymbols = 50
const longestCode = 17
const runA = 0
const runB = 1

/** Compresses to one bzip2 stream of one block. Streams can be concatenated, so many can be made in parallel. */
export function bzip2(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const bits = createBits((source.length >> 2) + 1024)
  for (const letter of Buffer.from('BZh9')) bits.put(letter, 8)
  const sum = crc(source)
  writeBlock(bits, source, sum)
  put48(bits, 0x177245385090)
  put32(bits, sum)
  return bits.end()
}

function writeBlock(bits: Bits, source: Uint8Array, sum: number): void {
  const shortened = shortenRuns(source)
  const { last, origin } = transform(shortened)
  free(shortened)
  put48(bits, 0x314159265359)
  put32(bits, sum)
  bits.put(0, 1)
  bits.put(origin, 24)
  const used = usedBytes(last)
  writeUsed(bits, used)
  const { symbols, alphabet } = moveToFront(last, used)
  writeSymbols(bits, symbols, alphabet)
  free(last, symbols)
}

function put48(bits: Bits, value: number): void {
  bits.put(Math.floor(value / 2 ** 24), 24)
  bits.put(value % 2 ** 24, 24)
}

function put32(bits: Bits, value: number): void {
  bits.put(value >>> 16, 16)
  bits.put(value & 0xffff, 16)
}

/** Run-length encoding: after four equal bytes comes the count of further equal bytes, up to 251. */
function shortenRuns(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(source.length + (source.length >> 2) + 1)
  let length = 0
  for (let at = 0; at < source.length; ) {
    const byte = source[at] as number
    let run = 1
    while (run < 255 && source[at + run] === byte) run++
    for (let index = 0; index < Math.min(run, 4); index++) out[length++] = byte
    if (run >= 4) out[length++] = run - 4
    at += run
  }
  return out.subarray(0, length)
}

function usedBytes(bytes: Uint8Array): boolean[] {
  const used = new Array<boolean>(256).fill(false)
  for (let at = 0; at < bytes.length; at++) used[bytes[at] as number] = true
  return used
}

/** Writes which bytes occur: 16 bits for the ranges of 16 bytes, then 16 bits for each range that is not empty. */
function writeUsed(bits: Bits, used: boolean[]): void {
  const ranges = Array.from({ length: 16 }, (_, range) => used.slice(range * 16, range * 16 + 16))
  for (const range of ranges) bits.put(Number(range.includes(true)), 1)
  for (const range of ranges.filter((each) => each.includes(true))) {
    for (const isUsed of range) bits.put(Number(isUsed), 1)
  }
}

/** Move-to-front: each byte becomes its index in the list of recent bytes. Runs of index 0 become binary numbers. */
function moveToFront(
  last: Uint8Array,
  used: boolean[],
): { symbols: Uint16Array<ArrayBuffer>; alphabet: number } {
  const list = Uint8Array.from(used.flatMap((isUsed, byte) => (isUsed ? [byte] : [])))
  const symbols = new Uint16Array(last.length + 1)
  let count = 0
  let run = 0
  const endRun = () => {
    for (; run > 0; run = (run - 1) >> 1) symbols[count++] = run & 1 ? runA : runB
  }
  for (let at = 0; at < last.length; at++) {
    const byte = last[at] as number
    if (list[0] === byte) {
      run++
      continue
    }
    if (run > 0) endRun()
    let place = 0
    let moved = list[0] as number
    do {
      place++
      const next = list[place] as number
      list[place] = moved
      moved = next
    } while (moved !== byte)
    list[0] = byte
    symbols[count++] = place + 1
  }
  endRun()
  const alphabet = list.length + 2
  symbols[count++] = alphabet - 1
  return { symbols: symbols.subarray(0, count), alphabet }
}

function writeSymbols(bits: Bits, symbols: Uint16Array, alphabet: number): void {
  const groups = Math.ceil(symbols.length / groupSymbols)
  const { tables, choices } = chooseTables(symbols, alphabet)
  bits.put(tables.length, 3)
  bits.put(groups, 15)
  writeChoices(bits, choices, tables.length)
  for (const lengths of tables) writeLengths(bits, lengths)
  const codes = tables.map(codesOf)
  for (let at = 0; at < symbols.length; at++) {
    const table = choices[Math.floor(at / groupSymbols)] as number
    const symbol = symbols[at] as number
    bits.put((codes[table] as Int32Array)[symbol] as number, (tables[table] as Uint8Array)[symbol] as number)
  }
}

interface Tables {
  /** Code lengths. */
  tables: Uint8Array[]
  /** The index of the table that each group of 50 symbols uses. */
  choices: Uint8Array
}

/** Starts with tables for equal shares of the symbols. Then improves the tables and the choices in four rounds. */
function chooseTables(symbols: Uint16Array, alphabet: number): Tables {
  const steps = [200, 600, 1200, 2400]
  const count = 2 + steps.filter((step) => symbols.length >= step).length
  const choices = new Uint8Array(Math.ceil(symbols.length / groupSymbols))
  let tables = firstTables(symbols, alphabet, count)
  for (let round = 0; round < 4; round++) {
    const frequencies = tables.map(() => new Int32Array(alphabet))
    for (let group = 0; group < choices.length; group++) {
      const own = symbols.subarray(group * groupSymbols, (group + 1) * groupSymbols)
      const best = cheapest(own, tables)
      choices[group] = best
      const counts = frequencies[best] as Int32Array
      for (let at = 0; at < own.length; at++) (counts[own[at] as number] as number)++
    }
    tables = frequencies.map((each) => codeLengths(each, longestCode))
  }
  return { tables, choices }
}

function firstTables(symbols: Uint16Array, alphabet: number, count: number): Uint8Array[] {
  const frequencies = new Int32Array(alphabet)
  for (let at = 0; at < symbols.length; at++) (frequencies[symbols[at] as number] as number)++
  let symbol = 0
  let left = symbols.length
  return Array.from({ length: count }, (_, table) => {
    const lengths = new Uint8Array(alphabet).fill(15)
    const share = left / (count - table)
    let taken = 0
    while (symbol < alphabet && (taken < share || table === count - 1)) {
      taken += frequencies[symbol] as number
      lengths[symbol++] = 0
    }
    left -= taken
    return lengths
  })
}

function cheapest(group: Uint16Array, tables: Uint8Array[]): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let table = 0; table < tables.length; table++) {
    const lengths = tables[table] as Uint8Array
    let cost = 0
    for (let at = 0; at < group.length; at++) cost += lengths[group[at] as number] as number
    if (cost >= least) continue
    least = cost
    best = table
  }
  return best
}

function writeChoices(bits: Bits, choices: Uint8Array, tables: number): void {
  const list = Array.from({ length: tables }, (_, table) => table)
  for (const choice of choices) {
    const place = list.indexOf(choice)
    for (let index = 0; index < place; index++) bits.put(1, 1)
    bits.put(0, 1)
    list.splice(place, 1)
    list.unshift(choice)
  }
}

/** Writes the first length, then for each symbol the steps up (10) or down (11) to its length, and a 0. */
function writeLengths(bits: Bits, lengths: Uint8Array): void {
  let current = lengths[0] as number
  bits.put(current, 5)
  for (const length of lengths) {
    for (; current < length; current++) bits.put(2, 2)
    for (; current > length; current--) bits.put(3, 2)
    bits.put(0, 1)
  }
}

const sums = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1
  return sum
})

/** CRC-32 with the bit order of bzip2, which is the reverse of that of zip. */
function crc(bytes: Uint8Array): number {
  let sum = -1
  for (let at = 0; at < bytes.length; at++) {
    sum = (sum << 8) ^ (sums[((sum >>> 24) ^ (bytes[at] as number)) & 0xff] as number)
  }
  return ~sum >>> 0
}
