import { closeSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { crc32, type ZlibOptions } from 'node:zlib'
import { inFolder } from '#src/core/threads/working-folder.ts'
import { deflateRawSync } from '#src/core/zlib/compress.ts'
import { isFileCompressible } from '#src/files/archive/compression/sample.ts'
import type {
  ArchiveFault,
  Bounds,
  Item,
  LargeHeader,
  WithCompiledBounds,
} from '#src/files/archive/formats/entry.ts'
import { tarHeader, tarPadding } from '#src/files/archive/formats/tar-header.ts'
import { centralRecord, localHeader, type ZipRecord } from '#src/files/archive/formats/zip-record.ts'
import { faultOf } from './open-item.ts'
import { type Opened, type OpenLarge, openAll, type Read, readItem } from './read-item.ts'

/** The maximum number of large files that one task opens. The items after them are packed by a later task. */
export const maxLarge = 4

/** A task ends after it has read this many bytes of small files. The items after them are packed by a later task. */
export const maxBytes = 4 * 1024 * 1024

/** The number of items that a task opens at once, so that a slow disk can read all of them. */
export const itemsAtOnce = 32

/** A task to pack small files and folders into one piece of an archive. */
export interface PackTask {
  kind: 'pack'
  format: 'zip' | 'tar'
  items: PackItem[]
  bounds: Bounds
  /** For a zip: the level of deflate, from 1 (fast) to 9. */
  level: number
}

export interface PackItem extends Item {
  /** Whether to store the file uncompressed. */
  isStored?: boolean
}

export interface Packed {
  bytes: Uint8Array<ArrayBuffer>
  /**
   * For a zip: the records of the packed entries in the central directory. There is one piece for the entries before each
   * large file, and one for those after the last. Offsets count from the end of the large file before, in `bytes`.
   */
  records: Uint8Array<ArrayBuffer>[]
  large: Large[]
  faults: ArchiveFault[]
  /** The number of processed items. Less than all when `maxLarge` or `maxBytes` is reached. */
  processed: number
}

/** An open large file, which the caller streams and closes. `at` is its position in `bytes`. */
export interface Large {
  fd: number
  facts: LargeHeader
  at: number
}

/** Reads and packs items in order. An item that cannot be read becomes a fault, and the work continues. */
export function pack(task: WithCompiledBounds<PackTask>): Packed {
  const { items } = task
  const packer = createPacker(task)
  let next = 0
  while (next < items.length && !packer.isFull()) {
    const folder = folderOf(items[next])
    inFolder(folder, (prefix) => {
      while (!packer.isFull()) {
        const group = groupIn(folder, items.slice(next, next + itemsAtOnce), prefix)
        if (group.length === 0) return
        next += packer.add(group)
      }
    })
  }
  return packer.end(next)
}

/** The first items that are in the folder. `prefix` leads to its names. */
function groupIn(folder: string, items: readonly PackItem[], prefix: string): PackItem[] {
  const group: PackItem[] = []
  for (const item of items) {
    if (folderOf(item) !== folder) break
    // The check of a symbolic link needs its whole address.
    const address = item.follow === 'never' ? prefix + basename(item.address) : item.address
    group.push({ ...item, address })
  }
  return group
}

function folderOf(item: Item | undefined): string {
  return item ? dirname(item.address) : ''
}

function createPacker({ format, bounds, level }: Omit<WithCompiledBounds<PackTask>, 'items'>) {
  const pieces: Buffer[] = []
  const packed: Omit<Packed, 'bytes' | 'processed'> = { records: [], large: [], faults: [] }
  let records: Buffer[] = []
  let length = 0
  // The number of bytes before the last large file.
  let from = 0
  let contentBytes = 0
  const put = (piece: Buffer) => {
    pieces.push(piece)
    length += piece.length
  }

  const isFull = () => packed.large.length >= maxLarge || contentBytes >= maxBytes

  function packOne(opened: Opened<PackItem>): void {
    const { item } = opened
    try {
      const read = readItem(opened)
      if ('fd' in read) {
        packed.large.push({ ...largeOf(read, item, format), at: length })
        endRecords()
        return
      }
      contentBytes += read.content.length
      if (format === 'tar') packTar(read, put)
      else {
        const offset = length - from
        const record = packZip(read, { ...item, level }, put)
        records.push(centralRecord({ ...record, offset }))
      }
    } catch (error) {
      const reason = faultOf(error)
      if (reason) packed.faults.push({ entry: item.entry, reason })
    }
  }

  function endRecords(): void {
    packed.records.push(joined(records))
    records = []
    from = length
  }

  return {
    isFull,

    /** Packs items until `isFull`. Returns how many. */
    add(items: readonly PackItem[]): number {
      const opened = openAll(items, maxLarge - packed.large.length, bounds)
      let count = 0
      for (const each of opened) {
        if (isFull()) {
          if (each.fd !== undefined) closeSync(each.fd)
          continue
        }
        packOne(each)
        count++
      }
      return count
    },

    end(processed: number): Packed {
      endRecords()
      return { bytes: joined(pieces), ...packed, processed }
    },
  }
}

/** Copies the pieces into memory of their own, which can be given to another thread. */
function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

function largeOf({ fd, facts }: OpenLarge, item: PackItem, format: PackTask['format']): Omit<Large, 'at'> {
  try {
    const isStored = item.isStored || (format === 'zip' && !isFileCompressible(fd, facts.size))
    return { fd, facts: { ...facts, isStored } }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function packTar({ facts, content }: Read, add: (piece: Buffer) => void): void {
  add(tarHeader(facts))
  if (content.length === 0) return
  add(Buffer.from(content))
  add(tarPadding(content.length))
}

function packZip(
  read: Read,
  { isStored, level }: Pick<PackItem, 'isStored'> & { level: number },
  add: (piece: Buffer) => void,
): Omit<ZipRecord, 'offset'> {
  const { facts, content } = read
  const isWorthIt = content.length > 64 && !isStored
  const deflated = isWorthIt ? deflateRawSync(content, { ...deflateFor(content.length), level }) : content
  const isDeflated = deflated.length < content.length
  const body = isDeflated ? deflated : Buffer.from(content)
  const record = {
    ...facts,
    isDeflated,
    isStreamed: false,
    crc: content.length > 0 ? crc32(content) : 0,
    packedBytes: body.length,
  }
  add(localHeader(record))
  add(body)
  return record
}

/**
 * Returns zlib options for a small file: a window no larger than the file, and one output chunk for all of it. The
 * setup of larger buffers takes longer than the compression: 45 µs instead of 27 µs for 1 KiB.
 */
function deflateFor(size: number): ZlibOptions {
  const chunkSize = Math.max(size + 64, 64)
  if (size <= 2048) return { windowBits: 11, memLevel: 4, chunkSize }
  return size <= 16_384 ? { windowBits: 14, memLevel: 7, chunkSize } : { chunkSize }
}
