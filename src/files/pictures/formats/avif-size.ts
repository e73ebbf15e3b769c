import type { PictureHeader } from './pixels.ts'

/** A box of an ISO base media file. */
export interface Box {
  type: string
  body: Buffer
}

// A decoded pixel takes 17 to 20 bytes, and with opacity up to 40: the decoder keeps planes of 16 bits with borders.
const perPixel = 40

/**
 * Returns the size of an AVIF picture as libavif reads it: that of the primary item (ISO/IEC 23008-12 §6.5.3), or
 * that of a track if the file is a sequence, whichever is larger. Undefined when there is none.
 */
export function avifSize(bytes: Buffer): PictureHeader | undefined {
  const top = boxes(bytes)
  const sizes: (Size | undefined)[] = [primarySize(top), ...(isSequence(bytes) ? trackSizes(top) : [])]
  const pixels = sizes.map((size) => (size ? size.width * size.height : 0))
  const largest = sizes[pixels.indexOf(Math.max(...pixels))]
  if (!largest) return undefined
  const { width, height } = largest
  return { width, height, orientation: 1, decoderBytes: width * height * perPixel, ownBytes: 0 }
}

type Size = Pick<PictureHeader, 'width' | 'height'>

function isSequence(bytes: Buffer): boolean {
  return bytes.toString('latin1', 8, 12) === 'avis'
}

/** Returns the sequence of boxes in `bytes` (ISO/IEC 14496-12 §4.2). */
export function boxes(bytes: Buffer): Box[] {
  const found: Box[] = []
  // A normal picture has about a dozen boxes. The limit of 1000 bounds the time for a crafted file.
  for (let at = 0; at + 8 <= bytes.length && found.length < 1000; ) {
    const { head, length } = extentOf(bytes, at)
    if (length < head) break
    const body = bytes.subarray(at + head, at + length)
    found.push({ type: bytes.toString('latin1', at + 4, at + 8), body })
    at += length
  }
  return found
}

/** Returns the lengths of a box and of its header. A stored 1 means 64 bits follow, 0 the rest of the file. */
function extentOf(bytes: Buffer, at: number): { head: number; length: number } {
  const short = bytes.readUInt32BE(at)
  if (short === 1) return { head: 16, length: Number(bytes.readBigUInt64BE(at + 8)) }
  return { head: 8, length: short === 0 ? bytes.length - at : short }
}

/** Returns the body of the first box of this type. */
export function bodyOf(all: readonly Box[], type: string): Buffer | undefined {
  return all.find((box) => box.type === type)?.body
}

/** Returns the stored size of the primary item, and the quarter turns that a viewer applies. @throws RangeError */
export function primarySize(top: readonly Box[]) {
  const meta = bodyOf(top, 'meta')
  // The first four bytes are version and flags.
  const inMeta = meta ? boxes(meta.subarray(4)) : []
  const primary = bodyOf(inMeta, 'pitm')
  const inProperties = boxes(bodyOf(inMeta, 'iprp') ?? Buffer.alloc(0))
  const properties = boxes(bodyOf(inProperties, 'ipco') ?? Buffer.alloc(0))
  if (!primary) return undefined
  const id = primary[0] === 0 ? primary.readUInt16BE(4) : primary.readUInt32BE(4)
  const indices = inProperties.flatMap(({ type, body }) => (type === 'ipma' ? propertiesOf(id, body) : []))
  const own = indices.flatMap((index) => properties[index - 1] ?? [])
  const size = bodyOf(own, 'ispe')
  // ISO/IEC 23008-12 §6.5.10: quarter turns against the clock.
  const turns = (bodyOf(own, 'irot')?.[0] ?? 0) & 3
  return size && { width: size.readUInt32BE(4), height: size.readUInt32BE(8), turns }
}

/** Returns the properties that an `ipma` box assigns to an item, as indices from 1 (ISO/IEC 23008-12 §9.3). */
function propertiesOf(id: number, body: Buffer): number[] {
  const idBytes = body[0] === 0 ? 2 : 4
  // The highest bit of an index marks an essential property.
  const isWide = (body.readUInt8(3) & 1) === 1
  const [size, mask] = isWide ? [2, 0x7fff] : [1, 0x7f]
  for (let at = 8, left = body.readUInt32BE(4); left > 0; left--) {
    const count = body.readUInt8(at + idBytes)
    const first = at + idBytes + 1
    if (body.readUIntBE(at, idBytes) === id)
      return Array.from({ length: count }, (_, n) => body.readUIntBE(first + n * size, size) & mask)
    at = first + count * size
  }
  return []
}

/**
 * Returns the sizes of the tracks: 16.16 fixed-point numbers at the end of each `tkhd` box (ISO/IEC 14496-12 §8.3.2).
 */
function trackSizes(top: readonly Box[]) {
  const tracks = boxes(bodyOf(top, 'moov') ?? Buffer.alloc(0)).filter(({ type }) => type === 'trak')
  return tracks.flatMap(({ body }) => {
    const head = bodyOf(boxes(body), 'tkhd')
    if (!head || head.length < 84) return []
    const size = head.subarray(head.length - 8)
    return [{ width: size.readUInt32BE(0) >>> 16, height: size.readUInt32BE(4) >>> 16 }]
  })
}
