/** The content of a database: entries by the name of their bucket. */
export type BoltContent = Readonly<
  Record<string, readonly (readonly [key: Buffer | string, value: unknown])[]>
>

/** Returns the key of a user in a database: its id, with 8 bytes. */
export function idKey(id: number): Buffer {
  const key = Buffer.alloc(8)
  key.writeBigUInt64BE(BigInt(id))
  return key
}

const headerBytes = 16
const elementBytes = 16

interface Element {
  key: Buffer
  value: Buffer
  flags?: number
  child?: number
}

/**
 * Writes a database of bbolt. A value that is not a buffer is written as JSON. Small buckets are inline, as bbolt does.
 *
 * @param options.inline false: every bucket has pages of its own
 */
export function writeBolt(content: BoltContent, { pageSize = 4096, inline = true } = {}): Buffer {
  const pages: Buffer[] = [
    Buffer.alloc(0),
    Buffer.alloc(0),
    page({ id: 2, pageSize, kind: 16, elements: [] }),
  ]
  const buckets = Object.entries(content).map(([name, entries]) => {
    const elements = inOrder(
      entries.map(([key, value]) => ({ key: Buffer.from(key), value: bytesOf(value) })),
    )
    const size = sizeOf(elements)
    if (inline && size < pageSize / 4)
      return { key: Buffer.from(name), value: bucket(0, leaf(elements)), flags: 1 }
    return { key: Buffer.from(name), value: bucket(addTree(pages, elements, pageSize)), flags: 1 }
  })
  const root = addTree(pages, inOrder(buckets), pageSize)
  const count = pages.reduce((sum, { length }) => sum + length / pageSize, 2)
  pages[0] = meta({ id: 0, pageSize, root, count, transaction: 6n })
  pages[1] = meta({ id: 1, pageSize, root, count, transaction: 7n })
  return Buffer.concat(pages)
}

function bytesOf(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))
}

function inOrder<E extends Element>(elements: E[]): E[] {
  return elements.toSorted((a, b) => a.key.compare(b.key))
}

function sizeOf(elements: readonly Element[]): number {
  return elements.reduce((sum, { key, value }) => sum + elementBytes + key.length + value.length, headerBytes)
}

/** Adds leaf pages, and branch pages above them. Returns the id of the top page. */
function addTree(pages: Buffer[], elements: readonly Element[], pageSize: number): number {
  const add = (kind: number, part: readonly Element[]): number => {
    const id = pages.reduce((sum, { length }) => sum + length / pageSize, 2)
    pages.push(page({ id, pageSize, kind, elements: part }))
    return id
  }
  const level = (kind: number, all: readonly Element[]): Element[] =>
    chunks(all, pageSize).map((part) => ({
      key: part[0]?.key ?? Buffer.alloc(0),
      value: Buffer.alloc(0),
      child: add(kind, part),
    }))
  let tops = level(2, elements)
  while (tops.length > 1) tops = level(1, tops)
  return tops[0]?.child ?? 0
}

function chunks(elements: readonly Element[], pageSize: number): Element[][] {
  const parts: Element[][] = [[]]
  for (const element of elements) {
    const last = parts.at(-1) ?? []
    if (last.length > 0 && sizeOf([...last, element]) > pageSize) parts.push([element])
    else last.push(element)
  }
  return parts
}

function leaf(elements: readonly Element[]): Buffer {
  return page({ id: 0, pageSize: 1, kind: 2, elements })
}

function page(of: { id: number; pageSize: number; kind: number; elements: readonly Element[] }): Buffer {
  const { id, pageSize, kind, elements } = of
  const used = sizeOf(elements)
  const count = Math.ceil(used / pageSize)
  const bytes = Buffer.alloc(count * pageSize)
  bytes.writeBigUInt64LE(BigInt(id), 0)
  bytes.writeUInt16LE(kind, 8)
  bytes.writeUInt16LE(elements.length, 10)
  bytes.writeUInt32LE(pageSize === 1 ? 0 : count - 1, 12)
  let end = headerBytes + elements.length * elementBytes
  for (const [index, { key, value, flags = 0, child }] of elements.entries()) {
    const at = headerBytes + index * elementBytes
    const numbers = kind === 2 ? [flags, end - at, key.length, value.length] : [end - at, key.length]
    for (const [field, number] of numbers.entries()) bytes.writeUInt32LE(number, at + field * 4)
    if (kind !== 2) bytes.writeBigUInt64LE(BigInt(child ?? 0), at + 8)
    key.copy(bytes, end)
    value.copy(bytes, end + key.length)
    end += key.length + value.length
  }
  return bytes
}

function bucket(root: number, inline: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(16)
  head.writeBigUInt64LE(BigInt(root))
  return Buffer.concat([head, inline])
}

function meta(of: {
  id: number
  pageSize: number
  root: number
  count: number
  transaction: bigint
}): Buffer {
  const bytes = Buffer.alloc(of.pageSize)
  bytes.writeBigUInt64LE(BigInt(of.id), 0)
  bytes.writeUInt16LE(4, 8)
  const body = bytes.subarray(16)
  body.writeUInt32LE(0xed0cdaed, 0)
  body.writeUInt32LE(2, 4)
  body.writeUInt32LE(of.pageSize, 8)
  body.writeBigUInt64LE(BigInt(of.root), 16)
  body.writeBigUInt64LE(2n, 32)
  body.writeBigUInt64LE(BigInt(of.count), 40)
  body.writeBigUInt64LE(of.transaction, 48)
  sealMeta(bytes)
  return bytes
}

/** Writes the checksum of a meta page, after a test has changed it. */
export function sealMeta(bytes: Buffer): void {
  const body = bytes.subarray(16)
  let hash = 0xcbf29ce484222325n
  for (const byte of body.subarray(0, 56)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  body.writeBigUInt64LE(hash, 56)
}
