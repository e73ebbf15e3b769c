import { box } from './exif-data.ts'

const u16 = (value: number) => [value >> 8, value & 0xff]
const u32 = (value: number) => [value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff]

/** An item of an AVIF file. */
interface Item {
  id: number
  type: 'av01' | 'grid' | 'iden'
  size: readonly [number, number]
  data: Buffer
  /** Items that it is derived from. */
  from?: number[]
}

/** A still picture made of these items. The first one is the primary item. */
function file(items: readonly Item[], { before = Buffer.alloc(0), decoys = 0 } = {}): Buffer {
  const type = box('ftyp', Buffer.from('avif\0\0\0\0avifmif1miaf'))
  const meta = (dataAt: number) => {
    let at = dataAt
    const places = items.map(({ id, data }) => {
      const place = [...u16(id), ...u16(0), ...u16(1), ...u32(at), ...u32(data.length)]
      at += data.length
      return place
    })
    const config = [box('av1C', [0x81, 0, 0x0c, 0]), box('pixi', [0, 0, 0, 0, 3, 8, 8, 8])]
    const sizes = items.map(({ size: [width, height] }) => box('ispe', [0, 0, 0, 0], u32(width), u32(height)))
    const uses = items.map(({ id }, n) => [
      ...u16(id),
      ...[3, n + 1, 0x80 | (items.length + 1), items.length + 2],
    ])
    const refs = items.flatMap(({ id, from }) =>
      from ? [box('dimg', u16(id), u16(from.length), from.flatMap(u16))] : [],
    )
    const names = items.map(({ id, type }) =>
      box('infe', [2, 0, 0, 0], u16(id), u16(0), Buffer.from(type), [0]),
    )
    return box(
      'meta',
      [0, 0, 0, 0],
      box('hdlr', Buffer.alloc(8), Buffer.from('pict'), Buffer.alloc(13)),
      box('pitm', [0, 0, 0, 0], u16(items[0]?.id ?? 1)),
      box('iloc', [0, 0, 0, 0, 0x44, 0], u16(items.length), ...places),
      box('iinf', [0, 0, 0, 0], u16(items.length), ...names),
      box('iprp', box('ipco', ...sizes, ...config), box('ipma', [0, 0, 0, 0], u32(items.length), ...uses)),
      ...(refs.length > 0 ? [box('iref', [0, 0, 0, 0], ...refs)] : []),
      ...Array<Buffer>(decoys).fill(
        box('free', Buffer.from('    ispe\0\0\0\0\0\0\0\x01\0\0\0\x01', 'latin1')),
      ),
    )
  }
  const dataAt = type.length + before.length + meta(0).length + 8
  return Buffer.concat([type, before, meta(dataAt), box('mdat', ...items.map(({ data }) => data))])
}

/** Bits, written from the highest. */
function bits(...fields: [value: number, count: number][]): Buffer {
  const text = fields.map(([value, count]) => value.toString(2).padStart(count, '0')).join('')
  const padded = text.padEnd(Math.ceil(text.length / 8) * 8, '0')
  return Buffer.from(
    Array.from({ length: padded.length / 8 }, (_, n) => Number.parseInt(padded.slice(n * 8, n * 8 + 8), 2)),
  )
}

/**
 * Open bitstream units of AV1 (§5.5): a sequence header of this size, and the frame of a small picture of one colour.
 */
function units(width: number, height: number): Buffer {
  const header = bits(
    [0, 3], // profile: 8 bits, 4:2:0
    [1, 1], // still picture
    [1, 1], // reduced header
    [0, 5], // level
    [15, 4],
    [15, 4],
    [width - 1, 16],
    [height - 1, 16],
    [0b011000, 6], // the tools that libaom chooses
    [0x204040d080, 40], // colours
  )
  const frame = Buffer.from(
    '0a28a100c1b88558de7e6c2d705c7a3172c03e3e18fc725edd5dc1c727c44494e4134b9790',
    'hex',
  )
  const unit = (type: number, body: Buffer) =>
    Buffer.concat([Buffer.from([(type << 3) | 2, body.length]), body])
  return Buffer.concat([unit(2, Buffer.alloc(0)), unit(1, header), unit(6, frame)])
}

function grid(rows: number, columns: number, [width, height]: readonly [number, number]): Buffer {
  return Buffer.from([0, 1, rows - 1, columns - 1, ...u32(width), ...u32(height)])
}

/** Hostile AVIF files. `honest` is a small valid one. */
export function hostileAvifs(honest: Buffer): Record<string, Buffer> {
  const small = [16, 16] as const
  const [tile, large, largest] = [units(64, 64), units(8192, 8192), units(65_536, 65_536)]
  const picture = (size: readonly [number, number], data: Buffer) =>
    file([{ id: 1, type: 'av01', size, data }])
  const tiled = (
    count: number,
    side: number,
    from: number[],
    size: readonly [number, number] = [side * count, side * count],
  ) =>
    file([
      { id: 1, type: 'grid', size, data: grid(count, count, size), from },
      { id: 2, type: 'av01', size: [side, side], data: units(side, side) },
    ])
  const pad = box('free', Buffer.alloc(70_000))
  return {
    'sequence.avif': picture(small, large),
    'sequence-most.avif': picture(small, largest),
    'claims.avif': picture([65_536, 65_536], tile),
    'honest-large.avif': picture([8192, 8192], large),
    // The size is after the part that a careless reader checks, with small sizes before it.
    'far.avif': file([{ id: 1, type: 'av01', size: [8192, 8192], data: large }], {
      before: Buffer.concat([pad]),
      decoys: 3,
    }),
    'decoys.avif': file([{ id: 1, type: 'av01', size: [8192, 8192], data: units(8192, 8192) }], {
      decoys: 100,
    }),
    'grid.avif': tiled(2, 8192, [2, 2, 2, 2]),
    'grid-many.avif': tiled(16, 64, Array(256).fill(2)),
    'grid-huge.avif': tiled(256, 256, Array(65_535).fill(2), [65_535, 65_535]),
    'grid-self.avif': tiled(1, 64, [1]),
    'grid-few.avif': tiled(16, 64, [2]),
    'cycle.avif': file([
      { id: 1, type: 'iden', size: small, data: Buffer.alloc(1), from: [2] },
      { id: 2, type: 'iden', size: small, data: Buffer.alloc(1), from: [1] },
    ]),
    'grid-cycle.avif': file([
      { id: 1, type: 'grid', size: small, data: grid(1, 1, small), from: [2] },
      { id: 2, type: 'grid', size: small, data: grid(1, 1, small), from: [1] },
    ]),
    'boxes.avif': Buffer.concat([honest.subarray(0, 32), Buffer.alloc(8 * 400_000, box('free'))]),
    'nested.avif': Buffer.concat([
      honest.subarray(0, 32),
      box('meta', [0, 0, 0, 0], ...Array<Buffer>(1000).fill(box('iprp', box('ipco')))),
    ]),
    'endless-box.avif': Buffer.concat([
      honest.subarray(0, 32),
      Buffer.from('00000001', 'hex'),
      Buffer.from('meta'),
      Buffer.alloc(8, 0xff),
      Buffer.alloc(64),
    ]),
    'zero-box.avif': Buffer.concat([honest.subarray(0, 32), Buffer.alloc(4096)]),
    'cut.avif': honest.subarray(0, honest.length - 60),
    'head.avif': honest.subarray(0, 40),
  }
}
