// Flags of an extended WebP: animation and opacity (RFC 9649 §2.7).
const animated = 0x02
const translucent = 0x10

/**
 * Returns the first frame of an animated WebP as a separate file for the decoder of still pictures. So only one of
 * thousands of frames is decoded. Returns any other file unchanged. Undefined when there is no first frame.
 */
export function firstFrameOf(bytes: Buffer): Buffer | undefined {
  const isAnimated = bytes.toString('latin1', 12, 16) === 'VP8X' && (bytes.readUInt8(20) & animated) !== 0
  if (!isAnimated) return bytes
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    if (bytes.toString('latin1', at, at + 4) === 'ANMF') return frame(bytes.subarray(at + 8, at + 8 + length))
    at += 8 + length + (length % 2)
  }
  return undefined
}

// The header of an ANMF chunk, before its picture: position, size, duration and blending.
const frameHead = 16

function frame(chunk: Buffer): Buffer | undefined {
  if (chunk.length < frameHead + 8) return undefined
  const picture = chunk.subarray(frameHead)
  if (picture.toString('latin1', 0, 4) !== 'ALPH') return file(picture)
  const extended = Buffer.alloc(18)
  extended.write('VP8X')
  extended.writeUInt32LE(10, 4)
  extended.writeUInt8(translucent, 8)
  // Width and height minus one, three bytes each, in the same form as in the frame.
  chunk.copy(extended, 12, 6, 12)
  return file(Buffer.concat([extended, picture]))
}

function file(chunks: Buffer): Buffer {
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(chunks.length + 4, 4)
  return Buffer.concat([head, chunks])
}
