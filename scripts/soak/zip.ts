import { inflateRawSync } from 'node:zlib'

// Signatures and offsets of the .ZIP File Format Specification (APPNOTE) 4.3.
const endSignature = 0x06054b50
const entrySignature = 0x02014b50

/** Returns the contents of the files in a small zip, by name. @throws Error when it is damaged. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.length - 22
  if (end < 0 || zip.readUInt32LE(end) !== endSignature) throw new Error('the zip has no end')
  const contents = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== entrySignature) throw new Error('the directory of the zip is damaged')
    const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = [28, 30, 32].map((to) =>
      zip.readUInt16LE(at + to),
    )
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes)
    if (!name.endsWith('/')) contents.set(name, contentOf(zip, at))
    at += 46 + nameBytes + extraBytes + commentBytes
  }
  return contents
}

/** Returns the content of the file whose entry in the directory is at `at`. */
function contentOf(zip: Buffer, at: number): Buffer {
  const local = zip.readUInt32LE(at + 42)
  const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const bytes = zip.subarray(begin, begin + zip.readUInt32LE(at + 20))
  return zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(bytes) : bytes
}
