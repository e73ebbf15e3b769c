import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as avif from '@jsquash/avif/decode.js'
import * as jpeg from '@jsquash/jpeg/decode.js'
import * as png from '@jsquash/png/decode.js'
import * as webp from '@jsquash/webp/decode.js'
import * as encoder from '@jsquash/webp/encode.js'
import { embedded } from '#src/core/embedded.ts'
import { decodeBitmap } from './bitmap.ts'
import { type Codec, codecFiles } from './codec-files.ts'
import { decodeGif } from './formats/gif.ts'
import type { PictureKind } from './formats/measure.ts'
import type { Pixels } from './formats/pixels.ts'
import { capMemory } from './wasm-memory.ts'

// WebAssembly has memory of its own and nothing else: whatever a crafted picture does to a decoder, it reaches no file,
// no network and no other thread. Each codec's memory has a maximum that the engine enforces, so that a picture whose
// header says less than its data costs no more than an honest one. GIF and BMP are decoded by plain code.

/** The part of WebAssembly's own interface that is used here; Node's types leave it out. */
interface Wasm {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: object }
  Memory: new () => { buffer: ArrayBuffer }
}
const { Module, Instance, Memory } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly

// The encoder gets at most 1080 × 1080 pixels. Noise of that size takes 48 MiB.
const encoderBytes = 80 * 1024 * 1024

/** Codecs that this thread has compiled and started, and the memories of all that it has ever started. */
const modules = new Map<Codec, object>()
const ready = new Map<Codec, Promise<unknown>>()
const memories: { buffer: ArrayBuffer }[] = []

/** Bytes of WebAssembly memory that this thread holds; only its end gives them back. */
export function heldBytes(): number {
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
}

/**
 * Starts what decodes pictures of this kind, and what encodes them.
 *
 * @param mostBytes bounds the decoder's memory for the life of the thread
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

/** Compiles and starts a codec when it is first needed. */
async function prepare(codec: Codec, mostBytes: number): Promise<void> {
  const known = ready.get(codec)
  if (known) return void (await known)
  const module = modules.get(codec) ?? compiled(codec, mostBytes)
  modules.set(codec, module)
  const starting = begin(codec, module)
  ready.set(codec, starting)
  await starting
}

/**
 * Has the next picture of this kind decoded by a fresh instance: one that was stopped halfway leaves its memory in any
 * state. Answers false when only the end of the thread gives a fresh one, as for the package for PNG.
 */
export function discard(kind: PictureKind): boolean {
  if (kind === 'png') return false
  if (kind !== 'gif' && kind !== 'bmp') ready.delete(kind)
  return true
}

function compiled(codec: Codec, mostBytes: number): object {
  const bytes =
    embedded(`codecs/${codec}.wasm`) ??
    readFileSync(createRequire(import.meta.url).resolve(codecFiles[codec]))
  return new Module(capMemory(bytes, mostBytes))
}

async function begin(codec: Codec, module: object): Promise<void> {
  if (codec === 'png') {
    remember(await png.init(module))
    return
  }
  const options = {
    instantiateWasm(imports: object, done: (instance: object) => void) {
      const instance = new Instance(module, imports)
      remember(instance.exports)
      done(instance)
      return instance.exports
    },
    // Discards the remarks of decoders about broken pictures.
    print() {},
    printErr() {},
  }
  await { jpeg, webp, avif, encoder }[codec].init(options)
}

function remember(exported: object): void {
  memories.push(...Object.values(exported).filter((each) => each instanceof Memory))
}

/**
 * Decodes the first picture in `bytes`, with codecs that have started, and answers what `use` makes of its pixels, which
 * are valid during the call only.
 *
 * @throws anything when it cannot be decoded: the thread is of no use after that.
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

/** The memory of `bytes` itself when they fill it, so that a file of many megabytes is not held twice. */
function wholeBuffer({ buffer, byteOffset, length }: Buffer): ArrayBuffer {
  const isWhole = byteOffset === 0 && length === buffer.byteLength
  return (isWhole ? buffer : buffer.slice(byteOffset, byteOffset + length)) as ArrayBuffer
}

/** What a decoder answered, in its own memory; called while the decoder runs. */
let onPixels: ((pixels: Pixels) => void) | undefined

/**
 * Runs a decoder of Emscripten and lets `use` read the pixels in the decoder's own memory. These decoders end with
 * `new ImageData(new Uint8ClampedArray(view), width, height)` and free the view after that. The copy would take four bytes
 * a pixel more, beyond the maximum of their memory: for the time of the call the first constructor copies nothing, and the
 * second one calls `use`. Decoders look both up at their first picture and keep them, so that both are always the same.
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
    Object.assign(scope, { Uint8ClampedArray: asItIs, ImageData: Taken })
    await run()
  } finally {
    restore()
  }
  const [answer] = used
  if (answer === undefined) throw new Error('the decoder answered no picture')
  return answer
}

const Clamped = Uint8ClampedArray
const scope = globalThis as unknown as { Uint8ClampedArray: unknown; ImageData: unknown }

/** A constructor that answers what it is given. */
function asItIs(view: Uint8Array): Uint8Array {
  return view
}

/** A constructor that passes on what it is given. */
function Taken(view: Uint8Array, width: number, height: number): void {
  const data = new Clamped(view.buffer, view.byteOffset, view.length)
  onPixels?.({ width, height, data })
}

// Of 0 to 100. At this size more is not seen, and a page has fifty of them.
const quality = 78
// Of 0 to 6: how long the encoder looks for a shorter form. 2 takes half the time of 4 for a twentieth more bytes.
const effort = 2

/** Writes pixels as WebP, which keeps opacity and which every browser that we serve can show. */
export async function encode(picture: Pixels): Promise<Uint8Array> {
  return new Uint8Array(
    await encoder.default(picture as Parameters<typeof encoder.default>[0], { quality, method: effort }),
  )
}
