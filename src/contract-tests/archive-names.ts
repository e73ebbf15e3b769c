/** The names in a zip file, from its central directory (APPNOTE 4.3.12), in order. */
export function zipNames(zip: Buffer): string[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'))
  if (end < 0) throw new Error('no end of a zip file')
  const names: string[] = []
  let at = zip.readUInt32LE(end + 16)
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ]
    names.push(zip.toString('utf8', at + 46, at + 46 + name))
    at += 46 + name + extra + comment
  }
  return names
}

/** The names in a tar file (POSIX ustar), in order. Headers that only describe other headers are left out. */
export function tarNames(tar: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + 512)
    const size = Number.parseInt(textAt(header, 124, 12).trim() || '0', 8)
    const prefix = textAt(header, 345, 155)
    const type = textAt(header, 156, 1)
    if (type === '' || '0125'.includes(type))
      names.push((prefix ? `${prefix}/` : '') + textAt(header, 0, 100))
    at += 512 + Math.ceil(size / 512) * 512
  }
  return names
}

function textAt(header: Buffer, from: number, length: number): string {
  return header.toString('utf8', from, from + length).split('\0')[0] ?? ''
}
