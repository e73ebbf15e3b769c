import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as avif from '@jsquash/avif/decode.js'
import * as jpeg from '@jsquash/jpeg/decode.js'
import * as png from '@jsquash/png/decode.js'
import * as webp from '@jsquash/webp/decode.js'
import * as encoder from '@jsquash/webp/encode.js'
import { GifReader } from 'omggif'
import { embedded } from '#src/core/embedded.ts'
import { decodeBitmap } from './bitmap.ts'
import { type Codec, codecFiles } from './codec-files.ts'
import type { PictureKind } from './measure.ts'
import type { Pixels } from './pixels.ts'

// WebAssembly has memory of its own and nothing else: whatever a crafted picture does to a decoder, it reaches no file,
// no network and no other thread. GIF and BMP are decoded by plain code.

/** The part of WebAssembly's own interface that is used here; Node's types leave it out. */
interface Wasm {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: object }
}
const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly

function compiled(codec: Codec): object {
  const bytes =
    embedded(`codecs/${codec}.wasm`) ??
    readFileSync(createRequire(import.meta.url).resolve(codecFiles[codec]))
  // A copy: the executable's own pages are no memory that a module may be made of.
  return new Module(new Uint8Array(bytes))
}

const ready = new Map<Codec, Promise<unknown>>()

/** Compiles and starts a codec when it is first needed. */
async function prepare(codec: Codec): Promise<void> {
  const known = ready.get(codec)
  if (known) return void (await known)
  const starting = begin(codec, compiled(codec))
  ready.set(codec, starting)
  await starting
}

function begin(codec: Codec, module: object): Promise<unknown> {
  if (codec === 'png') return png.init(module)
  const options = {
    instantiateWasm(imports: object, done: (instance: object) => void) {
      const instance = new Instance(module, imports)
      done(instance)
      return instance.exports
    },
    // What decoders remark about broken pictures is nobody's business.
    print() {},
    printErr() {},
  }
  return { jpeg, webp, avif, encoder }[codec].init(options)
}

/** Decodes the first picture in `bytes`. @throws anything when it cannot be: the thread is of no use after that. */
export async function decode(kind: PictureKind, bytes: Buffer): Promise<Pixels | undefined> {
  if (kind === 'gif') return firstFrame(bytes)
  if (kind === 'bmp') return decodeBitmap(bytes)
  await prepare(kind)
  const { buffer, byteOffset, length } = bytes
  const given = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer
  return (await { jpeg, png, webp, avif }[kind].default(given)) as Pixels
}

function firstFrame(bytes: Buffer): Pixels {
  const reader = new GifReader(bytes)
  const { width, height } = reader
  const data = new Uint8ClampedArray(width * height * 4)
  reader.decodeAndBlitFrameRGBA(0, data)
  return { width, height, data }
}

// Of 0 to 100. At this size more is not seen, and a page has fifty of them.
const quality = 78
// Of 0 to 6: how long the encoder looks for a shorter form. 2 takes half the time of 4 for a twentieth more bytes.
const effort = 2

/** Writes pixels as WebP, which keeps opacity and which every browser that we serve can show. */
export async function encode(picture: Pixels): Promise<Uint8Array> {
  await prepare('encoder')
  return new Uint8Array(
    await encoder.default(picture as Parameters<typeof encoder.default>[0], { quality, method: effort }),
  )
}
