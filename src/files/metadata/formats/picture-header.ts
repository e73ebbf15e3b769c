import { measure, sizeAtStart } from '#src/files/pictures/formats/measure.ts'
import { orientationOf } from '#src/files/pictures/formats/orientation.ts'
import { type ExifValues, maxSide, readExif, tiffSize } from './exif.ts'
import { readHeif } from './heif.ts'
import type { FileWindow } from './window.ts'

/** The size of a picture as it is shown, and its Exif data. */
export interface PictureFacts {
  width?: number
  height?: number
  exif: ExifValues
}

interface Stored {
  size: { width: number; height: number; orientation?: number } | undefined
  exif?: Buffer | undefined
}

const maxParts = 1000
const maxExifBytes = 256 * 1024
const exifName = Buffer.from('Exif\0\0', 'latin1')

const readers: [isOne: (start: Buffer) => boolean, read: (window: FileWindow) => Stored | undefined][] = [
  [(start) => start.readUInt16BE(0) === 0xffd8, readJpeg],
  [(start) => start.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n', readPng],
  [(start) => /^RIFF.{4}WEBP$/s.test(start.toString('latin1', 0, 12)), readWebp],
  [(start) => start.toString('latin1', 4, 8) === 'ftyp', readHeifPicture],
  [
    (start) => /^(GIF8|BM)/.test(start.toString('latin1', 0, 4)),
    (window) => ({ size: sizeAtStart(startOf(window)) }),
  ],
]

/**
 * Reads the header of a picture. The format is detected from the first bytes. Never reads the pixels.
 *
 * @param how.isTiffName whether the name says that the file is a TIFF: raw pictures of cameras have the same structure,
 *   but the size in it is that of a small preview
 * @param how.isWhole see `readExif`
 */
export async function readPicture(
  window: FileWindow,
  { isTiffName, isWhole }: { isTiffName: boolean; isWhole: boolean },
): Promise<PictureFacts> {
  const start = startOf(window)
  if (start.length < 16) return { exif: {} }
  if (/^(II\*\0|MM\0\*)/.test(start.toString('latin1', 0, 4))) {
    const exif = await readExif(sparseTiff(window), { isWhole })
    return { ...shown(isTiffName ? tiffSize(exif) : undefined), exif }
  }
  const [, read] = readers.find(([isOne]) => isOne(start)) ?? []
  const stored = read && attempt(() => read(window))
  const exif = stored?.exif ? await readExif(stored.exif, { isWhole }) : {}
  return { ...shown(stored?.size), exif }
}

/** Exif 2.32, tag 0x0112: from 5 to 8, columns and lines are swapped. */
function shown(size: Stored['size']): { width?: number; height?: number } {
  const isPossible =
    size && Math.min(size.width, size.height) > 0 && Math.max(size.width, size.height) <= maxSide
  if (!isPossible) return {}
  const { width, height, orientation = 1 } = size
  return orientation >= 5 ? { width: height, height: width } : { width, height }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined // a header that points beyond the end of the file, or needs more of it than may be read
  }
}

function startOf(window: FileWindow): Buffer {
  return window.read(0, 64)
}

/**
 * Reads the segments of a JPEG before the first scan. Skips large ones, such as colour profiles, so that only those are
 * read from the disk that matter.
 */
function readJpeg(window: FileWindow): Stored {
  const parts: Buffer[] = [Buffer.from([0xff, 0xd8])]
  let exif: Buffer | undefined
  for (const { at, length, code, isExif } of segments(window)) {
    const content = at + 4 + exifName.length
    if (isExif) exif ??= window.read(content, length - 4 - exifName.length)
    else if (!isApplication(code)) parts.push(window.read(at, length))
  }
  const found = measure(Buffer.concat([...parts, Buffer.alloc(32)]))
  if (typeof found === 'string') return { size: undefined, exif }
  return { size: { ...found, orientation: exif ? tiffOrientation(exif) : 1 }, exif }
}

/** Yields the segments up to the first scan (ITU-T T.81 §B.1). */
function* segments(window: FileWindow) {
  for (let at = 2, n = 0; n < maxParts; n++) {
    const head = window.read(at, 10)
    if (head.length < 4 || head[0] !== 0xff) return
    const code = head.readUInt8(1)
    const isFill = code === 0xff
    const length = isFill ? 1 : 2 + head.readUInt16BE(2)
    if (!isFill) yield { at, length, code, isExif: code === 0xe1 && head.subarray(4).equals(exifName) }
    if (code === 0xda) return
    at += length
  }
}

/** Whether a segment belongs to a program, not to the picture: APP0 to APP15. */
const isApplication = (code: number) => code >= 0xe0 && code <= 0xef

function tiffOrientation(tiff: Buffer): number {
  return orientationOf(Buffer.concat([exifName, tiff]))
}

/** Reads the chunks of a PNG: the Exif data may be behind the pixels. */
function readPng(window: FileWindow): Stored {
  const exif = findPart(window, 8, (head) => ({
    isOne: head.toString('latin1', 4, 8) === 'eXIf',
    length: head.readUInt32BE(0),
    tail: 4,
  }))
  return { size: sizeAtStart(startOf(window)), exif }
}

/** Reads the chunks of a WebP (RFC 9649 §2.3): the Exif data are behind the pixels. */
function readWebp(window: FileWindow): Stored {
  const exif = findPart(window, 12, (head) => {
    const length = head.readUInt32LE(4)
    return { isOne: head.toString('latin1', 0, 4) === 'EXIF', length, tail: length % 2 }
  })
  // Some programs write the name of the segment of a JPEG before the data.
  const isNamed = exif?.subarray(0, exifName.length).equals(exifName)
  return { size: sizeAtStart(startOf(window)), exif: isNamed ? exif?.subarray(exifName.length) : exif }
}

/** Goes through the parts of a file that each have a head of eight bytes. Returns the content of the one looked for. */
function findPart(
  window: FileWindow,
  start: number,
  look: (head: Buffer) => { isOne: boolean; length: number; tail: number },
): Buffer | undefined {
  for (let at = start, n = 0; n < maxParts; n++) {
    const head = attempt(() => window.read(at, 8))
    if (!head || head.length < 8) return undefined
    const { isOne, length, tail } = look(head)
    if (isOne) return length <= maxExifBytes ? attempt(() => window.read(at + 8, length)) : undefined
    at += 8 + length + tail
  }
  return undefined
}

function readHeifPicture(window: FileWindow): Stored | undefined {
  const header = readHeif(window)
  return header && { size: header, exif: header.exif }
}

// A TIFF file may have its directory at the end. Only files up to this size are read there.
const maxSparseBytes = 32 * 1024 * 1024
const around = { before: 64 * 1024, after: 128 * 1024 }

/**
 * Returns a TIFF file of which only the start and the surroundings of the first directory are read. The rest is zero:
 * the system gives no memory to pages that are never written.
 */
function sparseTiff(window: FileWindow): Buffer {
  const head = window.read(0, 64 * 1024)
  const directory = head[0] === 0x49 ? head.readUInt32LE(4) : head.readUInt32BE(4)
  if (directory + 4096 <= head.length || window.size <= head.length || window.size > maxSparseBytes)
    return head
  const from = Math.max(head.length, directory - around.before)
  const sparse = Buffer.alloc(Math.min(window.size, directory + around.after))
  head.copy(sparse)
  attempt(() => window.read(from, around.before + around.after))?.copy(sparse, from)
  return sparse
}
