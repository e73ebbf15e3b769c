import { crc32 } from 'node:zlib'
import { createBlocks } from '#src/files/archive/compression/blocks.ts'
import { type CompressionThreads, type Output, plainOutput } from '#src/files/archive/compression/output.ts'
import { createBufferList } from './buffer-list.ts'
import { fastChecksum } from './checksum.ts'
import type { EntryHeader } from './entry.ts'
import type { ReadContent, Writer } from './writer.ts'
import { centralRecord, descriptor, localHeader, moveRecords, type ZipRecord, zipEnd } from './zip-record.ts'

/** A final, empty deflate block. It ends a series of concatenated blocks (RFC 1951 §3.2.6). */
export const lastDeflateBlock = Buffer.from([0x03, 0x00])

const blockBytes = 512 * 1024

/**
 * Writes a zip archive. Large files are sent while they are read, so a data descriptor with the checksum and the
 * lengths follows them. The central directory is kept in memory until the end: about a hundred bytes for each entry.
 */
export function createZipWriter(next: Output, compression: CompressionThreads): Writer {
  let position = 0
  let entries = 0
  const directory = createBufferList()
  const put = async (bytes: Uint8Array) => {
    position += bytes.length
    await next.write(bytes)
  }
  const addRecord = (record: ZipRecord) => {
    directory.add(centralRecord(record))
    entries++
  }
  return {
    format: 'zip',
    async writePacked(bytes, records) {
      const { buffer, byteOffset, byteLength } = records
      const moved = moveRecords(Buffer.from(buffer, byteOffset, byteLength), position)
      directory.add(moved.bytes)
      entries += moved.count
      await put(bytes)
    },
    async writeLarge({ isStored, ...facts }, readContent) {
      const record = {
        ...facts,
        isDeflated: !isStored,
        isStreamed: true,
        crc: 0,
        packedBytes: isStored ? facts.size : 0,
      }
      const offset = position
      await put(localHeader(record))
      const begin = position
      const body = record.isDeflated ? deflater(put, compression) : plainOutput(put)
      const crc = await fill(body, readContent)
      if (record.isDeflated) await put(lastDeflateBlock)
      const known = { ...record, crc, packedBytes: position - begin, offset }
      await put(descriptor(known))
      addRecord(known)
    },
    async writeText(entry, content) {
      const facts: EntryHeader = { entry, size: content.length, mtimeMs: Date.now(), mode: 0o644 }
      const record = { ...facts, isDeflated: false, isStreamed: false, crc: crc32(content) }
      const known = { ...record, packedBytes: content.length, offset: position }
      addRecord(known)
      await put(Buffer.concat([localHeader(known), content]))
    },
    async end() {
      const offset = position
      for (const piece of directory.pieces()) await put(piece)
      await put(zipEnd({ entries, offset, bytes: position - offset }))
      await next.end()
    },
    stop: () => next.stop(),
  }
}

function deflater(put: (bytes: Uint8Array) => Promise<void>, compression: CompressionThreads): Output {
  return createBlocks(plainOutput(put), { ...compression, codec: 'deflate', blockBytes, isChained: true })
}

async function fill(body: Output, readContent: ReadContent): Promise<number> {
  let crc = 0
  try {
    const compute = await fastChecksum()
    await readContent({
      async write(piece, checksum) {
        crc = checksum ?? compute(piece, crc)
        await body.write(piece)
      },
      get checksum() {
        return crc
      },
    })
    await body.end()
    return crc
  } finally {
    await body.stop()
  }
}
