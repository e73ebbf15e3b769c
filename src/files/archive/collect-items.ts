import { free } from '#src/core/memory/free.ts'
import { isCompressed } from '#src/files/archive/compression/compressed.ts'
import type { ArchiveFault, Bounds } from '#src/files/archive/formats/entry.ts'
import type { Writer } from '#src/files/archive/formats/writer.ts'
import { closeLater } from '#src/files/paths/disk.ts'
import type { Large, Packed, PackTask } from './pack-items.ts'
import { readThrough } from './read-through.ts'
import type { ReferenceCount } from './reference-count.ts'
import type { ThreadReaders } from './thread-readers.ts'
import type { WalkedItem } from './walk.ts'

// A task for fewer items would take less time than waking its thread. `pack` limits the bytes.
const batchItems = 256
// The maximum number of folders in a batch. Each stays open until the batch is packed.
export const mostFolders = 16
// The number of batches that are packed in advance.
const mostAhead = 2

export interface CollectOptions {
  bounds: Bounds
  pack(task: PackTask): Promise<Packed>
  /** The level of deflate for the next task. */
  level(): number
  fault(fault: ArchiveFault): void
  signal: AbortSignal
  readers: ThreadReaders
}

interface Batch {
  founds: WalkedItem[]
  packed: Promise<Packed>
}

/**
 * Writes all items of `found` to `writer`, in order. Threads pack the next small files while one batch is sent. Large
 * files are read while they are sent. Does not end the writer.
 *
 * @throws the signal's reason, or the error of the writer. All descriptors are then closed.
 */
export async function writeItems(
  found: AsyncGenerator<WalkedItem>,
  writer: Writer,
  options: CollectOptions,
): Promise<void> {
  const { bounds, pack, level, signal } = options
  const ahead: Batch[] = []
  const isZip = writer.format === 'zip'
  const startBatch = (founds: WalkedItem[]): Batch => {
    const items = founds.map(({ item }) => (isZip ? { ...item, isStored: isCompressed(item.entry) } : item))
    const packed = pack({ kind: 'pack', format: writer.format, items, bounds, level: level() })
    packed.catch(() => undefined) // the error is thrown when the batch is awaited
    return { founds, packed }
  }
  const fill = async () => {
    while (ahead.length < mostAhead) {
      const founds = await takeBatch(found)
      if (founds.length === 0) return
      ahead.push(startBatch(founds))
    }
  }
  try {
    for (;;) {
      await fill()
      const [batch] = ahead
      if (!batch) return
      const packed = await batch.packed
      const left = batch.founds.splice(packed.processed)
      release(batch.founds)
      // The remaining items of this batch come next, before the following batches.
      ahead.splice(0, 1, ...(left.length > 0 ? [startBatch(left)] : []))
      if (signal.aborted) closeAll(packed.large)
      signal.throwIfAborted()
      await send(packed, writer, options)
    }
  } finally {
    for (const batch of ahead) await dropBatch(batch)
    await found.return(undefined)
  }
}

async function takeBatch(found: AsyncGenerator<WalkedItem>): Promise<WalkedItem[]> {
  const founds: WalkedItem[] = []
  const folders = new Set<ReferenceCount>()
  while (founds.length < batchItems && folders.size < mostFolders) {
    const { value, done } = await found.next()
    if (done) break
    founds.push(value)
    folders.add(value.references)
  }
  return founds
}

function release(founds: readonly WalkedItem[]): void {
  for (const { references } of founds) references.release()
}

/** Releases a batch after its task ends, because a thread may still be using the descriptors. */
async function dropBatch(batch: Batch): Promise<void> {
  const packed = await batch.packed.catch(() => undefined)
  closeAll(packed?.large ?? [])
  release(batch.founds)
}

async function send(packed: Packed, writer: Writer, options: CollectOptions): Promise<void> {
  const { bytes, records, large, faults } = packed
  for (const fault of faults) options.fault(fault)
  const left = [...large]
  let from = 0
  const sendUntil = async (to: number) => {
    const own = records.shift()
    if (own && to > from) await writer.writePacked(bytes.subarray(from, to), own)
    from = to
  }
  try {
    for (let next = left[0]; next; next = left[0]) {
      await sendUntil(next.at)
      await sendLarge(next, writer, options)
      left.shift()
      closeLater(next.fd)
    }
    await sendUntil(bytes.length)
    free(bytes)
  } finally {
    closeAll(left)
  }
}

function closeAll(large: readonly Large[]): void {
  for (const { fd } of large) closeLater(fd)
}

async function sendLarge({ fd, facts }: Large, writer: Writer, { fault, signal, readers }: CollectOptions) {
  await writer.writeLarge(facts, async (sink) => {
    const missing = await readThrough({ fd, size: facts.size }, sink, { signal, readers })
    const reason = `the file became shorter while it was read: its last ${missing} bytes in the archive are zeros`
    if (missing > 0) fault({ entry: facts.entry, reason })
  })
}
