import type { EntryHeader } from './entry.ts'
import { isFolder } from './entry.ts'

const blockBytes = 512
// Eleven octal digits. Larger values need a PAX record.
const largestOctal = 0o77777777777

/**
 * Makes the header of a tar entry (POSIX.1-2017 pax, "ustar Interchange Format"): one block of 512 bytes. Before it
 * comes a PAX header if needed: for long or non-ASCII names, sizes of 8 GiB and more, and times before 1970. It has
 * no owner, so the user who extracts the archive becomes the owner.
 */
export function tarHeader({ entry, size, mtimeMs, mode }: EntryHeader): Buffer {
  const seconds = Math.floor(mtimeMs / 1000)
  const place = split(entry)
  const records = [
    ...(place ? [] : [paxRecord('path', entry)]),
    ...(size > largestOctal ? [paxRecord('size', String(size))] : []),
    ...(seconds < 0 || seconds > largestOctal ? [paxRecord('mtime', String(seconds))] : []),
  ]
  const fields = {
    name: place?.name ?? Buffer.from(entry).toString('latin1').slice(-100),
    prefix: place?.prefix ?? '',
    size: size > largestOctal ? 0 : size,
    seconds: Math.min(Math.max(seconds, 0), largestOctal),
    mode: mode & 0o777,
    type: isFolder(entry) ? '5' : '0',
  }
  const own = block(fields)
  if (records.length === 0) return own
  const body = Buffer.from(records.join(''))
  const pax = block({ ...fields, name: 'PaxHeader', prefix: '', size: body.length, type: 'x', mode: 0o644 })
  return Buffer.concat([pax, body, tarPadding(body.length), own])
}

/** Returns the zero bytes that fill the last block after `size` bytes of content. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)
}

/** The end of an archive: two zero blocks. */
export const tarEnd = Buffer.alloc(2 * blockBytes)

interface Fields {
  name: string
  prefix: string
  size: number
  seconds: number
  mode: number
  type: string
}

function block({ name, prefix, size, seconds, mode, type }: Fields): Buffer {
  const head = Buffer.alloc(blockBytes)
  head.write(name, 0, 100, 'latin1')
  head.write(octal(mode, 8), 100, 'latin1')
  head.write(octal(0, 8), 108, 'latin1')
  head.write(octal(0, 8), 116, 'latin1')
  head.write(octal(size, 12), 124, 'latin1')
  head.write(octal(seconds, 12), 136, 'latin1')
  head.write('        ', 148, 'latin1')
  head.write(type, 156, 'latin1')
  head.write('ustar\x0000', 257, 'latin1')
  head.write(octal(0, 8), 329, 'latin1')
  head.write(octal(0, 8), 337, 'latin1')
  head.write(prefix, 345, 155, 'latin1')
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return head
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}

/** Splits an ASCII name into the two name fields. Returns undefined when it does not fit. */
function split(entry: string): { name: string; prefix: string } | undefined {
  if (!/^[\x20-\x7e]*$/.test(entry)) return undefined
  if (entry.length <= 100) return { name: entry, prefix: '' }
  const slash = entry.indexOf('/', entry.length - 101)
  const isFit = slash > 0 && slash <= 155 && slash < entry.length - 1
  return isFit ? { name: entry.slice(slash + 1), prefix: entry.slice(0, slash) } : undefined
}

/** Makes a record `<length> <key>=<value>\n`. The length includes its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  const length = rest + String(rest + String(rest).length).length
  return `${length} ${key}=${value}\n`
}
