import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import type { ContentSink } from './formats/writer.ts'
import { allowNext, createPieceMemory, placeOf, type ReadPiece, type ReadTask } from './read-pieces.ts'

/** A part of an open file, and the checksum of what is before it. */
type FilePart = Omit<ReadTask, 'memory'>

/** A thread that is reserved for a file: until it has read, or until it is disposed. */
export interface ThreadReader extends Disposable {
  /**
   * Passes a part of an open file to `sink`, with the checksums. Ends early when the file does, and for a slow client. Call
   * it once.
   *
   * @returns the offset up to which the file was passed on
   * @throws what the sink throws, or the error of the disk. The thread does not use the descriptor any more.
   */
  read(part: FilePart, sink: ContentSink): Promise<number>
}

// A thread needs 10 MB, and has 2 MiB of pieces. The next file of the same archive follows sooner.
const idleMs = 10_000

/**
 * Creates the threads that read large files and compute their checksums, while the main thread sends. They start when
 * needed.
 */
export function createThreadReaders() {
  const pool = createWorkerPool<ReadTask, void, ReadPiece>('read', { threads: threads.readAhead, idleMs })
  const permits = createSemaphore('threads that read files', { all: threads.readAhead })

  async function read(part: FilePart, sink: ContentSink, release: () => void): Promise<number> {
    const memory = createPieceMemory()
    let position = part.from
    let number = 0
    let sending = Promise.resolve()
    const send = async (piece: Buffer, checksum: number) => {
      await sink.write(piece, checksum)
      position += piece.length
      allowNext(memory)
    }
    const onPart = ({ bytes, checksum }: ReadPiece) => {
      const piece = placeOf(memory, number++).subarray(0, bytes)
      sending = sending.then(() => send(piece, checksum))
      sending.catch(() => {}) // thrown below
    }
    // A slow client does not keep the thread while it takes the last pieces.
    await pool.run({ ...part, memory }, { recheck: () => {}, onPart }).finally(release)
    await sending
    return position
  }

  return {
    /** Reserves a thread. Undefined when none is ready. If there is room for one, it starts, so that a later call succeeds. */
    take(): ThreadReader | undefined {
      const permit = permits.tryAcquire('all')
      const release = () => permit?.[Symbol.dispose]()
      if (permit && pool.prepare())
        return { read: (part, sink) => read(part, sink, release), [Symbol.dispose]: release }
      release()
      return undefined
    },
    close: () => pool.close(),
  }
}

/** The threads that read large files. */
export type ThreadReaders = ReturnType<typeof createThreadReaders>
