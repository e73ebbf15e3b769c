/** The reason why a database cannot be read, as the end of a sentence that begins with the name of the file. */
export class BoltFault extends Error {
  override name = 'BoltFault'
}

/** A database file of bbolt. Its pages are checked when they are read. */
export interface BoltFile {
  readonly bytes: Buffer
  readonly pageSize: number
  /** The number of pages. The file may be longer. */
  readonly pageCount: number
  /** The page of the bucket that contains all others. */
  readonly root: number
}

/** An entry of a page: a key with its value, or with the page of a child. */
export interface Element {
  readonly key: Buffer
  readonly value: Buffer
  /** Of a leaf: whether the value is a bucket. */
  readonly isBucket: boolean
  /** Of a branch: the page of the child. */
  readonly child: number | undefined
}

const magic = 0xed0cdaed
const version = 2
const headerBytes = 16
const elementBytes = 16
const flags = { branch: 1, leaf: 2, meta: 4 }
const [leastPageSize, mostPageSize] = [1024, 65_536]

/** Whether the content is a database of bbolt, maybe a damaged one. */
export function isBolt(bytes: Buffer): boolean {
  return pageSizes().some((size) => hasMagic(bytes, 0) || hasMagic(bytes, size))
}

function hasMagic(bytes: Buffer, at: number): boolean {
  return bytes.length >= at + headerBytes + 4 && bytes.readUInt32LE(at + headerBytes) === magic
}

function pageSizes(): number[] {
  const sizes: number[] = []
  for (let size = leastPageSize; size <= mostPageSize; size *= 2) sizes.push(size)
  return sizes
}

/** Reads the latest valid description of the database. It has two, because a write may be interrupted. @throws BoltFault. */
export function openBolt(bytes: Buffer): BoltFile {
  const metas = [metaAt(bytes, 0), ...pageSizes().map((size) => metaAt(bytes, size, size))]
  const valid = metas.filter((meta) => meta !== undefined)
  const [latest] = valid.toSorted((a, b) => (a.transaction < b.transaction ? 1 : -1))
  if (!latest)
    throw new BoltFault('is damaged at its beginning, or File Browser changed it while it was copied')
  const { pageSize, pageCount, root } = latest
  if (pageCount * pageSize > bytes.length)
    throw new BoltFault(`is incomplete: it has ${bytes.length} of ${pageCount * pageSize} bytes`)
  return { bytes, pageSize, pageCount, root }
}

interface Meta extends Omit<BoltFile, 'bytes'> {
  transaction: bigint
}

/** @param expectedSize page size at which the second description begins */
function metaAt(bytes: Buffer, at: number, expectedSize?: number): Meta | undefined {
  const body = bytes.subarray(at + headerBytes, at + headerBytes + 64)
  if (body.length < 64 || body.readUInt32LE(0) !== magic || body.readUInt32LE(4) !== version) return undefined
  const written = body.readBigUInt64LE(56)
  // The first versions of bolt wrote no checksum.
  if (written !== 0n && written !== checksum(body.subarray(0, 56))) return undefined
  const pageSize = body.readUInt32LE(8)
  if (!pageSizes().includes(pageSize) || (expectedSize ?? pageSize) !== pageSize) return undefined
  const [root, pageCount] = [pageNumber(body, 16), pageNumber(body, 40)]
  return { pageSize, root, pageCount, transaction: body.readBigUInt64LE(48) }
}

/** FNV-1a with 64 bits. */
function checksum(bytes: Buffer): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash
}

/** Returns the number of a page. Infinity for a number that no file can have. */
export function pageNumber(bytes: Buffer, at: number): number {
  const number = bytes.readBigUInt64LE(at)
  return number <= Number.MAX_SAFE_INTEGER ? Number(number) : Number.POSITIVE_INFINITY
}

/** Returns the bytes of a page, with the further pages that it continues on. @throws BoltFault. */
export function pageAt({ bytes, pageSize, pageCount }: BoltFile, id: number): Buffer {
  if (id < 2 || id >= pageCount) throw new BoltFault(`is damaged: it refers to page ${id} of ${pageCount}`)
  const at = id * pageSize
  if (pageNumber(bytes, at) !== id) throw new BoltFault(`is damaged at page ${id}`)
  const overflow = bytes.readUInt32LE(at + 12)
  if (id + overflow >= pageCount) throw new BoltFault(`is damaged: page ${id} is too long`)
  return bytes.subarray(at, at + (overflow + 1) * pageSize)
}

/**
 * Returns the elements of a page: views of its bytes, not copies.
 *
 * @throws BoltFault when the page is neither a branch nor a leaf, or an element is not inside the page.
 */
export function elementsOf(page: Buffer): Element[] {
  if (page.length < headerBytes) throw new BoltFault('is damaged: a page is too short')
  const kind = page.readUInt16LE(8)
  if (kind !== flags.branch && kind !== flags.leaf)
    throw new BoltFault('is damaged: a page has no known kind')
  const count = page.readUInt16LE(10)
  const end = headerBytes + count * elementBytes
  if (end > page.length) throw new BoltFault('is damaged: a page has too many entries')
  return Array.from({ length: count }, (_, at) =>
    elementAt(page, { at: headerBytes + at * elementBytes, end, isLeaf: kind === flags.leaf }),
  )
}

function elementAt(page: Buffer, { at, end, isLeaf }: { at: number; end: number; isLeaf: boolean }): Element {
  const position = page.readUInt32LE(at + (isLeaf ? 4 : 0))
  const keySize = page.readUInt32LE(at + (isLeaf ? 8 : 4))
  const valueSize = isLeaf ? page.readUInt32LE(at + 12) : 0
  const start = at + position
  if (start < end || start + keySize + valueSize > page.length)
    throw new BoltFault('is damaged: an entry is outside of its page')
  return {
    key: page.subarray(start, start + keySize),
    value: page.subarray(start + keySize, start + keySize + valueSize),
    isBucket: isLeaf && page.readUInt32LE(at) === 1,
    child: isLeaf ? undefined : pageNumber(page, at + 8),
  }
}
