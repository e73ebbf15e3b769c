import type { EntryHeader } from './entry.ts'
import { isFolder } from './entry.ts'

/** The record of one entry in the central directory of a zip. */
export interface ZipRecord extends EntryHeader {
  isDeflated: boolean
  crc: number
  /** The size in the archive, in bytes. */
  packedBytes: number
  /** Whether the checksum was unknown when the content was written. Then a data descriptor follows it. */
  isStreamed: boolean
  /** The offset of the local header. */
  offset: number
}

// PKWARE APPNOTE 6.3.10. Values that do not fit are stored in the ZIP64 field.
const full16 = 0xffff
const full32 = 0xffffffff
const flagStreamed = 1 << 3
const flagUtf8 = 1 << 11
const madeByUnix = 3 << 8
const plainVersion = 20
const zip64Version = 45

/** Whether the entry needs 64-bit lengths. The margin of 256 MiB is far more than deflate can add to the size. */
function isHuge({ size }: EntryHeader): boolean {
  return size >= full32 - 0x10000000
}

/**
 * Makes the local file header (4.3.7). With `isStreamed`, the checksum and lengths follow in the data descriptor. For a
 * stored entry, the header has the lengths, too: a program that unpacks a stream needs them to find the end of the entry.
 */
export function localHeader(record: Omit<ZipRecord, 'offset'>): Buffer {
  const name = Buffer.from(record.entry)
  const { isStreamed, isDeflated } = record
  const isLong = isStreamed && isHuge(record)
  const [size, packedBytes] = isStreamed && isDeflated ? [0, 0] : [record.size, record.packedBytes]
  const extra = Buffer.concat([
    timeField(record.mtimeMs),
    isLong ? zip64Field([size, packedBytes]) : Buffer.alloc(0),
  ])
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(isLong ? zip64Version : plainVersion, 4)
  writeCommon(head, record, 6)
  head.writeUInt32LE(isStreamed ? 0 : record.crc, 14)
  head.writeUInt32LE(isLong ? full32 : packedBytes, 18)
  head.writeUInt32LE(isLong ? full32 : size, 22)
  head.writeUInt16LE(name.length, 26)
  head.writeUInt16LE(extra.length, 28)
  return Buffer.concat([head, name, extra])
}

/** Makes the data descriptor (4.3.9), which follows a streamed entry. */
export function descriptor(record: ZipRecord): Buffer {
  const isLong = isHuge(record)
  const tail = Buffer.alloc(isLong ? 24 : 16)
  tail.writeUInt32LE(0x08074b50, 0)
  tail.writeUInt32LE(record.crc, 4)
  if (isLong) {
    tail.writeBigUInt64LE(BigInt(record.packedBytes), 8)
    tail.writeBigUInt64LE(BigInt(record.size), 16)
  } else {
    tail.writeUInt32LE(record.packedBytes, 8)
    tail.writeUInt32LE(record.size, 12)
  }
  return tail
}

/** Makes one record of the central directory (4.3.12). */
export function centralRecord(record: ZipRecord): Buffer {
  const name = Buffer.from(record.entry)
  const isLong = record.isStreamed && isHuge(record)
  const isFar = record.offset >= full32
  const wide = [...(isLong ? [record.size, record.packedBytes] : []), ...(isFar ? [record.offset] : [])]
  const extra = Buffer.concat([timeField(record.mtimeMs), wide.length ? zip64Field(wide) : Buffer.alloc(0)])
  const version = wide.length ? zip64Version : plainVersion
  const head = Buffer.alloc(46)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(madeByUnix | version, 4)
  head.writeUInt16LE(version, 6)
  writeCommon(head, record, 8)
  head.writeUInt32LE(record.crc, 16)
  head.writeUInt32LE(isLong ? full32 : record.packedBytes, 20)
  head.writeUInt32LE(isLong ? full32 : record.size, 24)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt16LE(extra.length, 30)
  // The upper 16 bits are the Unix mode. Bit 4 of the lower ones is the DOS attribute for a folder.
  const isDir = isFolder(record.entry)
  head.writeUInt16LE((isDir ? 0o040000 : 0o100000) | (record.mode & 0o777), 40)
  head.writeUInt16LE(isDir ? 0x10 : 0, 38)
  head.writeUInt32LE(isFar ? full32 : record.offset, 42)
  return Buffer.concat([head, name, extra])
}

/**
 * Adds `by` bytes to the offsets in records of the central directory, which have no ZIP64 field. Those whose offset then
 * needs 64 bits get one. Changes `records`.
 *
 * @param records in the order of their offsets
 * @returns the records, and how many there are
 */
export function moveRecords(records: Buffer, by: number): { bytes: Buffer; count: number } {
  const far: Buffer[] = []
  let nearBytes = 0
  let count = 0
  for (let at = 0; at < records.length; count++) {
    const end = at + 46 + records.readUInt16LE(at + 28) + records.readUInt16LE(at + 30)
    const offset = records.readUInt32LE(at + 42) + by
    if (offset < full32) {
      records.writeUInt32LE(offset, at + 42)
      nearBytes = end
    } else far.push(farRecord(records.subarray(at, end), offset))
    at = end
  }
  return { bytes: far.length > 0 ? Buffer.concat([records.subarray(0, nearBytes), ...far]) : records, count }
}

/** Adds the ZIP64 field with the offset. */
function farRecord(record: Buffer, offset: number): Buffer {
  const field = zip64Field([offset])
  const far = Buffer.concat([record, field])
  far.writeUInt16LE(madeByUnix | zip64Version, 4)
  far.writeUInt16LE(zip64Version, 6)
  far.writeUInt16LE(far.readUInt16LE(30) + field.length, 30)
  far.writeUInt32LE(full32, 42)
  return far
}

/** Makes the end of the central directory (4.3.14 to 4.3.16): the number of entries, its offset and its length. */
export function zipEnd({
  entries,
  offset,
  bytes,
}: {
  entries: number
  offset: number
  bytes: number
}): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(entries, full16), 8)
  end.writeUInt16LE(Math.min(entries, full16), 10)
  end.writeUInt32LE(Math.min(bytes, full32), 12)
  end.writeUInt32LE(Math.min(offset, full32), 16)
  if (entries < full16 && bytes < full32 && offset < full32) return end
  const long = Buffer.alloc(56 + 20)
  long.writeUInt32LE(0x06064b50, 0)
  long.writeBigUInt64LE(44n, 4)
  long.writeUInt16LE(madeByUnix | zip64Version, 12)
  long.writeUInt16LE(zip64Version, 14)
  long.writeBigUInt64LE(BigInt(entries), 24)
  long.writeBigUInt64LE(BigInt(entries), 32)
  long.writeBigUInt64LE(BigInt(bytes), 40)
  long.writeBigUInt64LE(BigInt(offset), 48)
  long.writeUInt32LE(0x07064b50, 56)
  long.writeBigUInt64LE(BigInt(offset + bytes), 64)
  long.writeUInt32LE(1, 72)
  return Buffer.concat([long, end])
}

/** Writes the four fields that the local header and the central record have in the same order. */
function writeCommon(head: Buffer, record: Omit<ZipRecord, 'offset'>, at: number): void {
  const { date, time } = dosTime(record.mtimeMs)
  head.writeUInt16LE(flagUtf8 | (record.isStreamed ? flagStreamed : 0), at)
  head.writeUInt16LE(record.isDeflated ? 8 : 0, at + 2)
  head.writeUInt16LE(time, at + 4)
  head.writeUInt16LE(date, at + 6)
}

/** DOS time is local time in steps of two seconds, from 1980 to 2107. Other times are set to its limits. */
function dosTime(ms: number): { date: number; time: number } {
  const at = new Date(ms)
  const year = at.getFullYear() - 1980
  if (!(year >= 0 && year < 128)) return { date: year >= 128 ? 0xff9f : 0x21, time: 0 }
  return {
    date: (year << 9) | ((at.getMonth() + 1) << 5) | at.getDate(),
    time: (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1),
  }
}

/** The extra field "UT" of Info-ZIP: the time in seconds since 1970, UTC. Empty when it does not fit into 32 bits. */
function timeField(ms: number): Buffer {
  const seconds = Math.floor(ms / 1000)
  if (seconds !== (seconds | 0)) return Buffer.alloc(0)
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x5455, 0)
  field.writeUInt16LE(5, 2)
  field.writeUInt8(1, 4)
  field.writeInt32LE(seconds, 5)
  return field
}

/** Makes the ZIP64 field (4.5.3): the values that did not fit, in their fixed order. */
function zip64Field(values: number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(8 * values.length, 2)
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
  return field
}
