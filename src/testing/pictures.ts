import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { crc32, deflateSync } from 'node:zlib'
import * as avif from '@jsquash/avif/encode.js'
import * as jpeg from '@jsquash/jpeg/encode.js'
import * as webpDecoder from '@jsquash/webp/decode.js'
import * as webp from '@jsquash/webp/encode.js'
import { GifWriter } from 'omggif'

type Colour = readonly [number, number, number]
type Paint = (x: number, y: number) => readonly [number, number, number, number]

/** Makes a picture with the pixels that `paint` returns: red, green, blue, opacity. */
export function painted(width: number, height: number, paint: Paint) {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set(paint(x, y), (y * width + x) * 4)
  }
  return { width, height, data }
}

/** Makes a picture of one colour. */
export function plain(width: number, height: number, [r, g, b]: Colour) {
  return painted(width, height, () => [r, g, b, 255])
}

type Picture = ReturnType<typeof painted>
type Wasm = {
  Module: new (bytes: Uint8Array) => object
  Instance: new (...given: object[]) => { exports: object }
}
const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly

/** The argument of the packages' `init`. Without it they would fetch their WebAssembly. */
function from(file: string) {
  const module = new Module(readFileSync(createRequire(import.meta.url).resolve(file)))
  return {
    instantiateWasm(imports: object, done: (instance: object) => void) {
      const instance = new Instance(module, imports)
      done(instance)
      return instance.exports
    },
  }
}

let initialized: Promise<unknown> | undefined

async function prepare(): Promise<void> {
  initialized ??= Promise.all([
    jpeg.init(from('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm')),
    webp.init(from('@jsquash/webp/codec/enc/webp_enc_simd.wasm')),
    avif.init(from('@jsquash/avif/codec/enc/avif_enc.wasm') as never),
    webpDecoder.init(from('@jsquash/webp/codec/dec/webp_dec.wasm')),
  ])
  await initialized
}

/** The picture as a JPEG, with an Exif orientation if one is given. */
export async function asJpeg(picture: Picture, orientation?: number): Promise<Buffer> {
  await prepare()
  const file = Buffer.from(await jpeg.default(picture as never, { quality: 95 }))
  return orientation === undefined
    ? file
    : Buffer.concat([file.subarray(0, 2), exif(orientation), file.subarray(2)])
}

/** An APP1 segment that contains only the orientation (Exif 2.32, big-endian). */
function exif(orientation: number): Buffer {
  const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
  const tiff = [0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0]
  const body = Buffer.concat([Buffer.from('Exif\0\0'), Buffer.from(tiff)])
  return Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body])
}

export async function asWebp(picture: Picture): Promise<Buffer> {
  await prepare()
  return Buffer.from(await webp.default(picture as never, { quality: 90 }))
}

export async function asAvif(picture: Picture): Promise<Buffer> {
  await prepare()
  return Buffer.from(await avif.default(picture as never, { speed: 10 } as never))
}

/** A GIF whose frames have one colour each. */
export function asGif(width: number, height: number, colours: readonly Colour[]): Buffer {
  const room = Buffer.alloc(width * height * colours.length * 2 + 1024)
  const writer = new GifWriter(room, width, height, { loop: 0 })
  for (const [r, g, b] of colours) {
    const palette = [r * 65536 + g * 256 + b, 0]
    writer.addFrame(0, 0, width, height, new Uint8Array(width * height), { palette })
  }
  return room.subarray(0, writer.end())
}

/** A bitmap of 24 bits per pixel, with the bottom line first, as programs write it. */
export function asBmp({ width, height, data }: Picture): Buffer {
  const stride = Math.ceil((width * 3) / 4) * 4
  const file = Buffer.alloc(54 + stride * height)
  file.write('BM')
  file.writeUInt32LE(54, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(24, 28)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [r = 0, g = 0, b = 0] = data.subarray((y * width + x) * 4)
      file.set([b, g, r], 54 + stride * (height - 1 - y) + x * 3)
    }
  }
  return file
}

/** A PNG. `claims` is the size in its header, if it differs from the true one. */
export function asPng({ width, height, data }: Picture, claims = { width, height }): Buffer {
  const lines = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.from([0]), Buffer.from(data.subarray(y * width * 4, (y + 1) * width * 4))]),
  )
  return pngOf([claims.width, claims.height], [pngChunk('IDAT', deflateSync(Buffer.concat(lines)))])
}

/** A PNG of a header with these values, and these chunks. */
export function pngOf(
  [width, height]: [number, number],
  chunks: readonly Buffer[],
  { depth = 8, colours = 6, interlaced = 0 } = {},
): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([depth, colours, 0, 0, interlaced], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, pngChunk('IHDR', head), ...chunks, pngChunk('IEND', Buffer.alloc(0))])
}

/** A chunk of a PNG with its length and its checksum. */
export function pngChunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), body])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** An animated WebP of still ones. Each of them becomes a full frame. */
export function animated(frames: readonly Buffer[], width: number, height: number): Buffer {
  const size = (value: number) => [value & 0xff, (value >> 8) & 0xff, value >> 16]
  const [w, h] = [size(width - 1), size(height - 1)]
  const parts = frames.map((frame) => {
    // The data after `RIFF….WEBP`. An extended header is left out, because frames have none.
    const at = frame.toString('latin1', 12, 16) === 'VP8X' ? 30 : 12
    return part(
      'ANMF',
      Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, ...w, ...h, 100, 0, 0, 0]), frame.subarray(at)]),
    )
  })
  const head = part('VP8X', Buffer.from([0x12, 0, 0, 0, ...w, ...h]))
  return riff(head, part('ANIM', Buffer.alloc(6)), ...parts)
}

/** A WebP of these parts. */
export function riff(...parts: Buffer[]): Buffer {
  return part('RIFF', Buffer.concat([Buffer.from('WEBP'), ...parts]))
}

/** A part of a WebP with its length. */
export function part(name: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from(name), length, body, Buffer.alloc(body.length % 2)])
}

/** Decodes a WebP file. Returns its size, and a function that returns the colour at a relative position (0 to 1). */
export async function look(file: Buffer) {
  await prepare()
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer
  const { width, height, data } = (await webpDecoder.default(bytes)) as Picture
  const at = (x: number, y: number) => {
    const place = (Math.floor(y * height) * width + Math.floor(x * width)) * 4
    return [...data.subarray(place, place + 4)]
  }
  return { width, height, at }
}

/** Whether two colours look the same after a lossy codec. */
export function isNear(found: readonly number[], wanted: readonly number[]): boolean {
  return wanted.every((value, n) => Math.abs(value - (found[n] ?? -1000)) <= 24)
}
