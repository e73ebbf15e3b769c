import { box } from './exif-data.ts'

// The smallest files with tags that programs accept, each with a second of sound or less.

const be16 = (...values: number[]) => numbers(values, 2, true)
const be32 = (...values: number[]) => numbers(values, 4, true)
const le32 = (...values: number[]) => numbers(values, 4, false)

function numbers(values: readonly number[], length: number, isBig: boolean): Buffer {
  const bytes = Buffer.alloc(values.length * length)
  for (const [n, value] of values.entries()) {
    if (isBig) bytes.writeUIntBE(value, n * length, length)
    else bytes.writeUIntLE(value, n * length, length)
  }
  return bytes
}

/** Tags of audio files, by their names in ID3. */
export const tags = {
  TIT2: 'Étude',
  TPE1: 'Ada',
  TALB: 'Numbers',
  TPE2: 'Various',
  TYER: '1999',
  TRCK: '3/9',
  TCON: 'Jazz',
}

/** An MP3 with ID3 tags and some frames: 128 kbit/s, 44.1 kHz, stereo. */
export function mp3(texts: Record<string, string> = tags): Buffer {
  const frames = Object.entries(texts).map(([id, text]) => {
    const body = Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')])
    return Buffer.concat([Buffer.from(id), be32(body.length), be16(0), body])
  })
  const body = Buffer.concat(frames)
  const size = Buffer.from([21, 14, 7, 0].map((shift) => (body.length >> shift) & 0x7f))
  const sound = Buffer.alloc(417)
  sound.set([0xff, 0xfb, 0x90, 0x00])
  return Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), size, body, ...Array<Buffer>(40).fill(sound)])
}

/** The comments of FLAC and Ogg. */
function vorbisComments(comments: Record<string, string>): Buffer {
  const text = (value: string) => Buffer.concat([le32(Buffer.byteLength(value)), Buffer.from(value)])
  const entries = Object.entries(comments).map(([name, value]) => text(`${name}=${value}`))
  return Buffer.concat([text('coffer'), le32(entries.length), ...entries])
}

const comments = {
  TITLE: 'Étude',
  ARTIST: 'Ada',
  ALBUM: 'Numbers',
  DATE: '1999',
  TRACKNUMBER: '3',
  GENRE: 'Jazz',
}

/** The header of a FLAC of two seconds: 44.1 kHz, stereo. */
export function flac(): Buffer {
  const info = Buffer.alloc(34)
  info.writeUInt16BE(4096, 0)
  info.writeUInt16BE(4096, 2)
  // 20 bits of sample rate, 3 of channels, 5 of bits per sample, 36 of samples.
  info.writeBigUInt64BE((44_100n << 44n) | (1n << 41n) | (15n << 36n) | 88_200n, 10)
  const tagged = vorbisComments(comments)
  const head = (kind: number, length: number) =>
    Buffer.concat([Buffer.from([kind]), numbers([length], 3, true)])
  return Buffer.concat([Buffer.from('fLaC'), head(0, 34), info, head(0x84, tagged.length), tagged])
}

/** The headers of an Ogg Vorbis file: 44.1 kHz, stereo. */
export function ogg(): Buffer {
  const id = Buffer.concat([
    Buffer.from('\x01vorbis', 'latin1'),
    le32(0),
    Buffer.from([2]),
    le32(44_100, 0, 128_000, 0),
  ])
  const identification = Buffer.concat([id, Buffer.from([0xb8, 1])])
  const comment = Buffer.concat([
    Buffer.from('\x03vorbis', 'latin1'),
    vorbisComments(comments),
    Buffer.from([1]),
  ])
  const page = (packet: Buffer, flags: number, sequence: number, samples: number) => {
    const segments = [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255]
    return Buffer.concat([
      Buffer.from(['O', 'g', 'g', 'S'].map((letter) => letter.charCodeAt(0))),
      Buffer.from([0, flags]),
      le32(samples, 0, 1, sequence, 0),
      Buffer.from([segments.length, ...segments]),
      packet,
    ])
  }
  return Buffer.concat([
    page(identification, 2, 0, 0),
    page(comment, 0, 1, 0),
    page(Buffer.alloc(8), 4, 2, 88_200),
  ])
}

/** A video of 640 × 360 pixels that a player turns by a quarter, as telephones write it: with its header at the end. */
export function mp4(mediaBytes = 1000): Buffer {
  const matrix = be32(0, 0x0001_0000, 0, 0xffff_0000, 0, 0, 0, 0, 0x4000_0000)
  const made = 2_082_844_800 + Date.UTC(2024, 4, 1, 10, 30) / 1000
  const mvhd = box(
    'mvhd',
    be32(0, made, made, 1000, 5000, 0x0001_0000, 0x0100_0000, 0, 0),
    matrix,
    be32(0, 0, 0, 0, 0, 0, 2),
  )
  const tkhd = box('tkhd', be32(3, made, made, 1, 0, 5000, 0, 0, 0, 0), matrix, be32(640 << 16, 360 << 16))
  const mdhd = box('mdhd', be32(0, made, made, 1000, 5000), be16(0x55c4, 0))
  const hdlr = box('hdlr', be32(0, 0), Buffer.from('vide'), be32(0, 0, 0), Buffer.from('\0'))
  const entry = box('avc1', Buffer.alloc(6), be16(1), Buffer.alloc(16), be16(640, 360), Buffer.alloc(50))
  const stsd = box('stsd', be32(0, 1), entry)
  const stbl = box(
    'stbl',
    stsd,
    box('stts', be32(0, 0)),
    box('stsc', be32(0, 0)),
    box('stsz', be32(0, 0, 0)),
    box('stco', be32(0, 0)),
  )
  const trak = box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', stbl)))
  const data = box('data', be32(1, 0), Buffer.from('Holidays'))
  const ilst = box('ilst', box('\xa9nam', data))
  const meta = box(
    'meta',
    be32(0),
    box('hdlr', be32(0, 0), Buffer.from('mdirappl'), be32(0, 0), Buffer.from('\0')),
    ilst,
  )
  const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0isommp42', 'latin1'))
  return Buffer.concat([
    ftyp,
    box('mdat', Buffer.alloc(mediaBytes)),
    box('moov', mvhd, trak, box('udta', meta)),
  ])
}
