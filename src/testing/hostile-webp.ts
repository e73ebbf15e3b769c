import { repeated } from './hostile-pictures.ts'
import { part, riff } from './pictures.ts'

/** An extended header. Flag 0x02 means animated, 0x10 translucent. */
function canvas(flags: number, width: number, height: number): Buffer {
  const le24 = (value: number) => [value & 0xff, (value >> 8) & 0xff, value >> 16]
  return part('VP8X', Buffer.from([flags, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)]))
}

function lossless(width: number, height: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32LE((width - 1) | ((height - 1) << 14))
  return part('VP8L', Buffer.concat([Buffer.from([0x2f]), head, Buffer.alloc(40, 0x88)]))
}

function lossy(width: number, height: number): Buffer {
  const head = Buffer.from([
    0x30,
    1,
    0,
    0x9d,
    0x01,
    0x2a,
    width & 0xff,
    width >> 8,
    height & 0xff,
    height >> 8,
  ])
  return part('VP8 ', Buffer.concat([head, Buffer.alloc(60, 0x55)]))
}

function animation(frameHead: number[], ...chunks: Buffer[]): Buffer {
  return part('ANMF', Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, ...frameHead, 100, 0, 0, 0]), ...chunks]))
}

/** Hostile WebP files. `honest` is a small valid lossy one. */
export function hostileWebps(honest: Buffer): Record<string, Buffer> {
  const maxSide = 16_383
  const [tiny, all] = [
    [3, 0, 0, 3, 0, 0],
    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  ]
  const own = honest.subarray(12)
  return {
    'lossless.webp': riff(lossless(maxSide, maxSide)),
    'lossless-heavy.webp': riff(lossless(6000, 6000)),
    'lossy.webp': riff(lossy(maxSide, maxSide)),
    'lossy-heavy.webp': riff(lossy(6000, 6000)),
    'small-canvas.webp': riff(canvas(0x10, 4, 4), lossless(maxSide, maxSide)),
    'small-canvas-lossy.webp': riff(canvas(0, 4, 4), lossy(maxSide, maxSide)),
    'large-canvas.webp': riff(canvas(0, 16_777_216, 16_777_216), own),
    'frame.webp': riff(
      canvas(2, 4, 4),
      part('ANIM', Buffer.alloc(6)),
      animation(tiny, lossless(maxSide, maxSide)),
    ),
    'frame-alpha.webp': riff(canvas(2, 4, 4), animation(all, part('ALPH', Buffer.alloc(9)), own)),
    'frame-canvas.webp': riff(canvas(2, 4, 4), animation(tiny, canvas(2, 4, 4), animation(tiny, own))),
    'no-frame.webp': riff(canvas(2, 4, 4)),
    'empty-frames.webp': riff(canvas(2, 4, 4), repeated(200_000, part('ANMF', Buffer.alloc(0)))),
    'chunks.webp': riff(canvas(0, 4, 4), repeated(400_000, part('EXIF', Buffer.alloc(0)))),
    'cut.webp': honest.subarray(0, honest.length / 2),
  }
}
