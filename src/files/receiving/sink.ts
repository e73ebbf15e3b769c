import { free } from '#src/core/memory/free.ts'
import { createUploadMemory } from '#src/files/space/upload-room.ts'
import { type Pieces, type WritableFile, writeAll } from './writable-file.ts'

// Two concurrent writes, so that the disk always has a batch to write.
const mostWrites = 2
// Flushing every 32 MiB keeps the last flush short: 1.1 GB/s instead of 0.85 GB/s with a single flush at the end.
const flushEveryBytes = 32 * 1024 * 1024

/** Writes pieces to a file in order, while more pieces arrive. */
export interface Sink {
  push(piece: Buffer): void
  /** The offset up to which the file is written without a gap, in bytes from its start. */
  written(): number
  /** Whether to stop pushing until `room` is called. */
  isFull(): boolean
  /** Writes the rest. Does nothing after a failure. */
  drain(): Promise<void>
  /** Writes the rest and flushes the file. */
  end(): Promise<void>
  /** Waits for running writes and drops the rest. */
  stop(): Promise<void>
}

/** The callbacks of a sink. */
interface Listener {
  room(): void
  failure(error: unknown): void
  /** Called when the file is flushed up to this offset. Not called for the last flush. */
  flushed?(position: number): void
}

/** How a sink writes. */
interface SinkOptions {
  /** The offset in the file where the content starts, in bytes. Undefined: 0. */
  start?: number | undefined
  /** Whether only the sink uses the memory of the pieces. Then it frees each piece after the write. */
  ownsPieces: boolean
}

/**
 * Creates a sink that writes to `file`, which stays open. `failure` is called at once and only once; `end` throws the
 * same error.
 */
export function createSink(
  file: WritableFile,
  listener: Listener,
  { start = 0, ownsPieces }: SinkOptions,
): Sink {
  const batches = createBatches()
  const share = createUploadMemory()
  const writes = new Set<Promise<void>>()
  // The start offsets of writes that are running or have failed.
  const gaps = new Set<number>()
  let position = start
  let failed: { error: unknown } | undefined
  const fail = (error: unknown) => {
    if (failed) return
    failed = { error }
    listener.failure(error)
  }
  const written = () => Math.min(position, ...gaps)
  const flusher = createFlusher(file, { start, written, fail, flushed: listener.flushed })

  const launch = () => {
    const batch = batches.take()
    const from = position
    gaps.add(from)
    const write = writeAll(file, batch, from)
      .then(() => {
        gaps.delete(from)
        if (ownsPieces) freePieces(batch)
      })
      .catch(fail)
      .then(() => {
        writes.delete(write)
        share.count(-batch.bytes)
        if (!failed) next()
      })
    position += batch.bytes
    writes.add(write)
  }
  const next = () => {
    if (batches.isDue() && writes.size < mostWrites) launch()
    flusher.consider(position)
    if (share.hasRoom()) listener.room()
  }

  const drain = async () => {
    while (!failed && (batches.bytes > 0 || writes.size > 0)) {
      if (batches.bytes > 0) launch()
      await Promise.all(writes)
    }
  }

  return {
    push(piece) {
      batches.add(piece)
      share.count(piece.length)
      if (batches.isDue() && writes.size < mostWrites) launch()
    },
    written,
    isFull: () => share.isFull(),
    drain,
    async end() {
      await drain()
      await flusher.settled()
      if (failed) throw failed.error
      await file.datasync()
    },
    async stop() {
      failed ??= { error: undefined }
      share.count(-batches.take().bytes)
      await Promise.all(writes)
      await flusher.settled()
    },
  }
}

/**
 * Frees the memory of pieces at once. Otherwise V8 collects garbage after each 64 MiB of an upload, with all threads: this
 * took a third of the processor time, and an upload took 1.6 times as long. A piece that shares its memory is not freed.
 */
function freePieces({ pieces }: Pieces): void {
  for (const { buffer, byteLength } of pieces)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) free({ buffer })
}

function createFlusher(
  file: WritableFile,
  {
    start,
    written,
    fail,
    flushed: onFlushed,
  }: Pick<Sink, 'written'> & {
    start: number
    fail: (error: unknown) => void
    flushed: Listener['flushed'] | undefined
  },
) {
  let flushed = start
  let flushing: Promise<void> | undefined
  return {
    /** Starts a flush when enough was written since the last one and none is running. */
    consider(position: number): void {
      if (flushing || position - flushed < flushEveryBytes) return
      flushed = position
      const whole = written()
      flushing = file
        .datasync()
        .then(() => onFlushed?.(whole))
        .catch(fail)
        .finally(() => {
          flushing = undefined
        })
    },
    settled: () => flushing,
  }
}

// Batches grow only while data arrive fast, so that a slow sender uses little memory.
const smallestBytes = 64 * 1024
const largestBytes = 1024 * 1024
const fastMs = 20
// writev(2) accepts at most 1024 buffers (IOV_MAX).
const mostPieces = 1024

/** Collects small pieces into batches, to make fewer system calls. */
export interface Batches {
  add(piece: Buffer): void
  /** Bytes collected so far. */
  readonly bytes: number
  /** Whether the batch is large enough to write. */
  isDue(): boolean
  /** Returns the batch and starts an empty one. */
  take(): Pieces
}

/** Creates an empty collector. A batch is due at 64 KiB, or at up to 1 MiB for a fast sender. */
export function createBatches(): Batches {
  let pieces: Buffer[] = []
  let bytes = 0
  let dueBytes = smallestBytes
  let batchStart = performance.now()
  return {
    add(piece) {
      pieces.push(piece)
      bytes += piece.length
    },
    get bytes() {
      return bytes
    },
    isDue: () => bytes >= dueBytes || pieces.length >= mostPieces,
    take() {
      const taken = { pieces, bytes }
      const now = performance.now()
      dueBytes = now - batchStart < fastMs ? Math.min(2 * dueBytes, largestBytes) : smallestBytes
      batchStart = now
      pieces = []
      bytes = 0
      return taken
    },
  }
}
