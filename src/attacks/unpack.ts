import { gunzipSync, inflateRawSync } from 'node:zlib'

/** Names and contents of the entries of an archive, one character per byte; empty for any other media type. */
export function contentsOf(mediaType: string | undefined, body: Buffer): string[] {
  if (body.length === 0) return []
  if (mediaType === 'application/zip') return zipEntries(body).flatMap(({ name, content }) => [name, content])
  return mediaType === 'application/gzip' ? [gunzipSync(body).toString('latin1')] : []
}

/** The entries of a zip, as its central directory lists them (APPNOTE 4.3.12). */
export function zipEntries(zip: Buffer): { name: string; content: string }[] {
  const entries = []
  const end = zip.lastIndexOf('PK\u0005\u0006')
  for (let at = zip.readUInt32LE(end + 16), left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameBytes = zip.readUInt16LE(at + 28)
    const name = zip.subarray(at + 46, at + 46 + nameBytes).toString()
    const header = zip.readUInt32LE(at + 42)
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
    const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20))
    const content = zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed
    entries.push({ name, content: content.toString('latin1') })
    at += 46 + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return entries
}
