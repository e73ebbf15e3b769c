import { crc32 } from 'node:zlib'

/** A note about a temporary file in use: `name` in the real folder `place`. */
export interface Note {
  name: string
  place: string
}

/** A note in the journal, and the number of the slot that holds it. */
export interface StoredNote extends Note {
  slot: number
}

// A slot has space for the longest path of a system call (PATH_MAX, 4096 bytes) and a name (NAME_MAX, 255 bytes).
export const slotBytes = 8192
export const slots = 64
// Magic number, length and CRC-32 of the text, 4 bytes each.
export const headerBytes = 12
const magic = 0x434e_4f31

/** Returns the bytes of a note, for the beginning of a slot. */
export function encoded({ name, place }: Note): Buffer {
  const text = Buffer.from(`${name}\0${place}`)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(magic, 0)
  header.writeUInt32BE(text.length, 4)
  header.writeUInt32BE(crc32(text), 8)
  return Buffer.concat([header, text])
}

/** Returns the notes in a whole journal. */
export function notesIn(content: Buffer): StoredNote[] {
  const found: StoredNote[] = []
  for (let slot = 0; (slot + 1) * slotBytes <= content.length; slot++) {
    const bytes = content.subarray(slot * slotBytes, (slot + 1) * slotBytes)
    const note = decoded(bytes)
    if (note) found.push({ ...note, slot })
  }
  return found
}

/** Reads the note in a slot. Returns undefined when the slot is free or the note is damaged. */
function decoded(bytes: Buffer): Note | undefined {
  const length = bytes.readUInt32BE(4)
  if (bytes.readUInt32BE(0) !== magic || length > slotBytes - headerBytes) return undefined
  const text = bytes.subarray(headerBytes, headerBytes + length)
  if (crc32(text) !== bytes.readUInt32BE(8)) return undefined
  const [name = '', place = ''] = text.toString().split('\0')
  return { name, place }
}
