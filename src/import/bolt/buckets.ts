import { BoltFault, type BoltFile, type Element, elementsOf, openBolt, pageAt, pageNumber } from './pages.ts'

/** A key and its value in a bucket. */
export interface BoltEntry {
  readonly key: Buffer
  readonly value: Buffer
}

// A tree of this depth would have more entries than any file has room for.
const mostDepth = 32
// No instance has so many users and shares. An entry needs more memory than its bytes.
const mostEntries = 50_000
/** The number of bytes before the page of a bucket that is stored inside of another one. */
const inlineAt = 16

/**
 * Reads the top-level buckets with these names from a database of bbolt: their keys with values, in order. Leaves out
 * buckets inside of them. Missing buckets are missing in the result.
 *
 * Reads each page at most once, and never more bytes than the file has. So the time and the memory are proportional to
 * the size of the file, also for a damaged file.
 *
 * @throws BoltFault when the file is damaged.
 */
export function readBuckets(bytes: Buffer, names: readonly string[]): Map<string, BoltEntry[]> {
  const file = openBolt(bytes)
  const reader = createReader(file)
  const found = new Map<string, BoltEntry[]>()
  for (const { key, value, isBucket } of reader.treeAt(file.root)) {
    const name = key.toString('utf8')
    if (!isBucket || !names.includes(name)) continue
    const entries = reader.bucketIn(value).filter((entry) => !entry.isBucket)
    found.set(name, entries)
  }
  return found
}

/** Walks trees of pages. */
function createReader(file: BoltFile) {
  const seen = new Set<number>()
  let [budget, count] = [file.bytes.length, 0]

  function collect(id: number, depth: number, found: Element[]): void {
    if (depth > mostDepth) throw new BoltFault('is damaged: its pages are nested too deeply')
    if (seen.has(id)) throw new BoltFault(`is damaged: it refers to page ${id} twice`)
    seen.add(id)
    for (const element of elementsOf(pageAt(file, id))) {
      if (element.child === undefined) add(element, found)
      else collect(element.child, depth + 1, found)
    }
  }

  /** @throws BoltFault for keys that are not in ascending order, each once; and for entries that cannot be real. */
  function add(element: Element, found: Element[]): void {
    const before = found.at(-1)
    if (before && before.key.compare(element.key) >= 0)
      throw new BoltFault('is damaged: its keys are not in order')
    // Entries that overlap could add up to far more than the file.
    budget -= element.key.length + element.value.length
    if (budget < 0) throw new BoltFault('is damaged: its entries overlap')
    if (++count > mostEntries) throw new BoltFault(`has more than ${mostEntries} entries`)
    found.push(element)
  }

  function treeAt(id: number): Element[] {
    const found: Element[] = []
    collect(id, 0, found)
    return found
  }

  return {
    /** The leaf elements of the tree that begins at a page. */
    treeAt,
    /** The elements of the bucket that is the value of an element. */
    bucketIn(value: Buffer): Element[] {
      if (value.length < inlineAt) throw new BoltFault('is damaged: a bucket is too short')
      const root = pageNumber(value, 0)
      if (root !== 0) return treeAt(root)
      const found: Element[] = []
      for (const element of elementsOf(value.subarray(inlineAt))) {
        if (element.child !== undefined) throw new BoltFault('is damaged: a bucket has no entries')
        add(element, found)
      }
      return found
    },
  }
}
