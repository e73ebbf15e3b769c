import { cut } from '#src/core/memory/free.ts'
import { createHashChains, type HashChains } from './chains.ts'
import { createLzmaModel, longestMatch, lzmaProperties } from './lzma-model.ts'
import { createRangeCoder } from './range-coder.ts'

// LZMA2: a chunk has at most 64 KiB compressed and 2 MiB uncompressed data. One match adds fewer bytes than the margin.
const chunkBytes = 65_536
const margin = 64

const coder = createRangeCoder(chunkBytes + margin)
const model = createLzmaModel(coder)

/** Compresses `source`, at most 2 MiB, to LZMA2 chunks with the end marker. */
export function lzma2(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(source.length + (source.length >> 12) + 1024)
  const chains = createHashChains(source, longestMatch)
  model.reset()
  let length = 0
  let from = 0
  // 3: reset the dictionary and the state; 2: reset the state and properties; 0: no reset.
  let reset = 3
  while (from < source.length) {
    const to = writeMatches(source, from, chains)
    const coded = coder.flush()
    if (coded.length < to - from) {
      length = writeCoded(out, length, { coded, plain: to - from, reset })
      reset = 0
    } else {
      length = writePlain(out, length, { plain: source.subarray(from, to), isFirst: reset === 3 })
      model.reset()
      reset = 2
    }
    from = to
  }
  out[length++] = 0
  return cut(out, length)
}

/** Encodes as much as fits into a chunk. Returns the position where it stopped. */
function writeMatches(source: Uint8Array, from: number, chains: HashChains): number {
  let at = from
  while (at < source.length && coder.flushedBytes() < chunkBytes - margin) {
    const { length, distance } = better(source, at, { found: chains.find(at), last: model.last() })
    if (length === 0) {
      model.literal(source, at++)
      continue
    }
    model.match(at, distance, length)
    for (let index = 1; index < length; index++) chains.note(at + index)
    at += length
  }
  return at
}

/** Prefers a match at the last distance, which needs few bits, unless the other match is clearly longer. */
function better(
  source: Uint8Array,
  at: number,
  { found, last }: { found: { length: number; distance: number }; last: number },
): { length: number; distance: number } {
  if (last > at) return found
  const most = Math.min(longestMatch, source.length - at)
  let length = 0
  while (length < most && source[at - last + length] === source[at + length]) length++
  return length >= 2 && length + 2 >= found.length ? { length, distance: last } : found
}

function writeCoded(
  out: Uint8Array,
  at: number,
  { coded, plain, reset }: { coded: Uint8Array; plain: number; reset: number },
): number {
  const size = plain - 1
  const packed = coded.length - 1
  const head = [
    0x80 | (reset << 5) | (size >> 16),
    (size >> 8) & 0xff,
    size & 0xff,
    packed >> 8,
    packed & 0xff,
  ]
  if (reset >= 2) head.push(lzmaProperties)
  out.set(head, at)
  out.set(coded, at + head.length)
  return at + head.length + coded.length
}

function writePlain(
  out: Uint8Array,
  at: number,
  { plain, isFirst }: { plain: Uint8Array; isFirst: boolean },
): number {
  const size = plain.length - 1
  out.set([isFirst ? 1 : 2, size >> 8, size & 0xff], at)
  out.set(plain, at + 3)
  return at + 3 + plain.length
}
