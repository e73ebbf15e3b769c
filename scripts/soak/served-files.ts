// The files that the soak reads, and the pictures that it uploads.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asPng, painted } from '#src/testing/pictures.ts'
import { photo } from '#web/testing/photos.ts'
import { piece, writeLarge } from '../bench/files.ts'

export const textCount = 4000
/** How many texts have a name that begins with `text-17`. */
export const foundTexts = 100
export const photoCount = 24
/** The number of entries of the folder `tree`. */
export const treeEntries = 10 + 100 + 500
export const fewCount = 20
export const largeBytes = 64 * 2 ** 20

/** A picture to upload. */
export interface Picture {
  readonly extension: 'jpg' | 'png'
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
  /** When it was taken, as metadata say it, without the offset from UTC. Undefined: the file does not say it. */
  readonly taken?: string
}

export interface ServedFiles {
  /** Pictures to upload. They differ. */
  readonly pictures: readonly Picture[]
  /** The files in the folder `photos`, by name. */
  readonly photos: ReadonlyMap<string, Picture>
}

/** Returns the name of a file in the folder `texts`. */
export function textName(number: number): string {
  return `text-${String(number).padStart(4, '0')}.txt`
}

/** Returns the content of a file in the folder `texts`, `few` or `tree`: up to about 8 kB. */
export function textOf(number: number): Buffer {
  return Buffer.from(`The line of text ${number}.\n`.repeat(1 + ((number * 37) % 300)))
}

/** Returns `length` bytes of the large file. */
export function largePart(from: number, length: number): Buffer {
  const begin = from % piece.length
  const copies = Array.from({ length: Math.ceil((begin + length) / piece.length) }, () => piece)
  return Buffer.concat(copies).subarray(begin, begin + length)
}

/**
 * Fills the served folder: `texts` with thousands of files, `few` with some, `tree` with folders in folders, `photos`,
 * and `large/large.bin`.
 */
export async function fill(root: string): Promise<ServedFiles> {
  for (const folder of ['texts', 'few', 'photos', 'large']) await mkdir(join(root, folder))
  for (let n = 0; n < textCount; n++) await writeFile(join(root, 'texts', textName(n)), textOf(n))
  for (let n = 0; n < fewCount; n++) await writeFile(join(root, 'few', `few ${n}.txt`), textOf(n))
  for (let n = 0; n < 100; n++) {
    const folder = join(root, 'tree', `branch-${n % 10}`, `twig-${n}`)
    await mkdir(folder, { recursive: true })
    for (let leaf = 0; leaf < 5; leaf++) await writeFile(join(folder, `leaf-${leaf}.txt`), textOf(leaf))
  }
  await writeLarge(join(root, 'large/large.bin'), largeBytes)
  const pictures = await Promise.all(Array.from({ length: photoCount }, (_, n) => makePicture(n)))
  const photos = new Map(pictures.map((picture, n) => [`photo-${n}.${picture.extension}`, picture]))
  for (const [name, { bytes }] of photos) await writeFile(join(root, 'photos', name), bytes)
  return { pictures, photos }
}

async function makePicture(number: number): Promise<Picture> {
  const size = { width: 640 + number * 8, height: 480 }
  if (number % 4 === 3) {
    const paint = (x: number, y: number) => [x % 256, y % 256, number * 10, 255] as const
    return { extension: 'png', bytes: asPng(painted(size.width, size.height, paint)), ...size }
  }
  const seconds = String(number).padStart(2, '0')
  const bytes = await photo(`2024:05:01 12:30:${seconds}`, size.width, size.height, number * 10)
  return { extension: 'jpg', bytes, ...size, taken: `2024-05-01T12:30:${seconds}` }
}
