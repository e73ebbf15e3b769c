import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as avif from '@jsquash/avif/decode.js'
import * as jpeg from '@jsquash/jpeg/decode.js'
import * as png from '@jsquash/png/decode.js'
import * as webp from '@jsquash/webp/decode.js'
import * as encoder from '@jsquash/webp/encode.js'
import { embeddedFile } from '#src/core/embedded.ts'
import { decodeBitmap } from './bitmap.ts'
import { type Codec, codecFiles } from './codec-files.ts'
import { decodeGif } from './formats/gif.ts'
import type { PictureKind } from './formats/measure.ts'
import type { Pixels } from './formats/pixels.ts'
import { capMemory } from './wasm-memory.ts'

// WebAssembly code can access only its own memory. So a decoder that a crafted picture exploits cannot reach files, the
// network or other threads. The engine enforces a maximum for the memory of each codec. So a picture whose header
// understates its size cannot use more memory than a normal one. GIF and BMP are decoded in JavaScript.

/** The part of the WebAssembly API that is used here. It is missing in the types of Node. */
interface Wasm {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: object }
  Memory: new () => { buffer: ArrayBuffer }
}
const { Module, Instance, Memory } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly

// The encoder gets at most 1080 × 1080 pixels. Noise of that size takes 48 MiB.
const encoderBytes = 80 * 1024 * 1024

/** The codecs that this thread has compiled and started, and the memories of all codecs that it ever started. */
const modules = new Map<Codec, object>()
const ready = new Map<Codec, Promise<unknown>>()
const memories: { buffer: ArrayBuffer }[] = []

/** The WebAssembly memory of this thread, in bytes. It is freed only when the thread ends. */
export function heldBytes(): number {
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
}

/**
 * Starts the decoder for this kind of picture, and the encoder.
 *
 * @param mostBytes the maximum memory of the decoder, for the life of the thread
 * @throws Error `ENOMEM` when the machine has no memory for them.
 */
export async function startCodecs(kind: PictureKind, mostBytes: number): Promise<void> {
  try {
    if (kind !== 'gif' && kind !== 'bmp') await prepare(kind, mostBytes)
    await prepare('encoder', encoderBytes)
  } catch (cause) {
    throw Object.assign(new Error('no memory for a codec', { cause }), { code: 'ENOMEM' })
  }
}

/** Compiles and starts a codec on first use. */
async function prepare(codec: Codec, mostBytes: number): Promise<void> {
  const known = ready.get(codec)
  if (known) return void (await known)
  const module = modules.get(codec) ?? compiled(codec, mostBytes)
  modules.set(codec, module)
  const starting = startCodec(codec, module)
  ready.set(codec, starting)
  await starting
}

/**
 * Discards the decoder, so that a new instance decodes the next picture of this kind: after a failure the memory of the
 * old one is in an unknown state. Returns false for PNG, where only a new thread gives a new instance.
 */
export function discardDecoder(kind: PictureKind): boolean {
  if (kind === 'png') return false
  if (kind !== 'gif' && kind !== 'bmp') ready.delete(kind)
  return true
}

function compiled(codec: Codec, mostBytes: number): object {
  const bytes =
    embeddedFile(`codecs/${codec}.wasm`) ??
    readFileSync(createRequire(import.meta.url).resolve(codecFiles[codec]))
  return new Module(capMemory(bytes, mostBytes))
}

async function startCodec(codec: Codec, module: object): Promise<void> {
  if (codec === 'png') {
    rememberMemories(await png.init(module))
    return
  }
  const options = {
    instantiateWasm(imports: object, done: (instance: object) => void) {
      const instance = new Instance(module, imports)
      rememberMemories(instance.exports)
      done(instance)
      return instance.exports
    },
    // Ignores the messages of decoders about broken pictures.
    print() {},
    printErr() {},
  }
  await { jpeg, webp, avif, encoder }[codec].init(options)
}

function rememberMemories(exported: object): void {
  memories.push(...Object.values(exported).filter((each) => each instanceof Memory))
}

/**
 * Decodes the first picture in `bytes` with a started codec. Returns the result of `use`, which receives the pixels.
 * They are valid only during that call.
 *
 * @throws any error when the picture cannot be decoded. Then call `discard`, or end the thread.
 */
export async function decode<T>(
  kind: PictureKind,
  bytes: Buffer,
  use: (pixels: Pixels) => T,
): Promise<T | undefined> {
  if (kind === 'gif' || kind === 'bmp') {
    const pixels = kind === 'gif' ? decodeGif(bytes) : decodeBitmap(bytes)
    return pixels && use(pixels)
  }
  if (kind === 'png') return use((await png.default(wholeBuffer(bytes))) as Pixels)
  return await inPlace(() => ({ jpeg, webp, avif })[kind].default(wholeBuffer(bytes)), use)
}

/** Returns the memory of `bytes` itself if `bytes` fills it, so that a large file is not copied. */
function wholeBuffer({ buffer, byteOffset, length }: Buffer): ArrayBuffer {
  const isWhole = byteOffset === 0 && length === buffer.byteLength
  return (isWhole ? buffer : buffer.slice(byteOffset, byteOffset + length)) as ArrayBuffer
}

/** Receives the pixels in the memory of the decoder. Called while the decoder runs. */
let onPixels: ((pixels: Pixels) => void) | undefined

/**
 * Runs an Emscripten decoder and lets `use` read the pixels in the memory of the decoder. These decoders end with
 * `new ImageData(new Uint8ClampedArray(view), width, height)` and then free the view. The copy would take four more
 * bytes per pixel, outside of the limit of their memory. So during the call, the first constructor is replaced by one
 * that does not copy, and the second by one that calls `use`. Decoders look up both at their first picture and keep
 * them, so the replacements must always be the same functions.
 */
async function inPlace<T>(run: () => Promise<unknown>, use: (pixels: Pixels) => T): Promise<T> {
  const { ImageData } = scope
  const restore = () => Object.assign(scope, { Uint8ClampedArray: Clamped, ImageData })
  const used: T[] = []
  onPixels = (pixels) => {
    restore()
    used.push(use(pixels))
  }
  try {
    Object.assign(scope, { Uint8ClampedArray: UncopiedArray, ImageData: PixelSink })
    await run()
  } finally {
    restore()
  }
  const [result] = used
  if (result === undefined) throw new Error('the decoder answered no picture')
  return result
}

const Clamped = Uint8ClampedArray
const scope = globalThis as unknown as { Uint8ClampedArray: unknown; ImageData: unknown }

/** A constructor that returns its argument. */
function UncopiedArray(view: Uint8Array): Uint8Array {
  return view
}

/** A constructor that passes its arguments to `onPixels`. */
function PixelSink(view: Uint8Array, width: number, height: number): void {
  const data = new Clamped(view.buffer, view.byteOffset, view.length)
  onPixels?.({ width, height, data })
}

// From 0 to 100. At this picture size a higher quality is not visible, and a page shows fifty pictures.
const quality = 78
// From 0 to 6: the effort of the encoder. 2 takes half the time of 4 and makes files 5 % larger.
const effort = 2

/** Encodes pixels as WebP, which supports opacity and which all supported browsers can show. */
export async function encode(picture: Pixels): Promise<Uint8Array> {
  return new Uint8Array(
    await encoder.default(picture as Parameters<typeof encoder.default>[0], { quality, method: effort }),
  )
}
