import { readSync } from 'node:fs'
import { fastChecksum } from './formats/checksum.ts'

/** A part of an open file that a thread reads, and the memory for it. */
export interface ReadTask {
  /** A descriptor. The caller closes it after the task. */
  readonly file: number
  /** The offsets of the first byte and of the end, in bytes. */
  readonly from: number
  readonly to: number
  /** The CRC-32 of the bytes before `from`. */
  readonly checksum: number
  readonly memory: PieceMemory
}

/** What a thread has read into the memory. The first piece is at its start, and each further one follows in turn. */
export interface ReadPiece {
  /** The length, in bytes. */
  readonly bytes: number
  /** The CRC-32 of the file up to the end of the piece. */
  readonly checksum: number
}

/** The memory that a thread fills while the main thread sends what was filled before. */
export interface PieceMemory {
  readonly bytes: SharedArrayBuffer
  /** The number of pieces that were sent. */
  readonly sent: Int32Array<SharedArrayBuffer>
}

// A call for less takes more time for each byte.
const pieceBytes = 1024 * 1024
// One is filled while the other is sent. With three, they no longer fit into the cache of most processors.
const pieces = 2
// A client that needs longer for a piece is slow: 10 MB/s. It does not occupy the thread any more.
const patienceMs = 100

/** Creates the memory for one task. */
export function createPieceMemory(): PieceMemory {
  const bytes = new SharedArrayBuffer(pieces * pieceBytes)
  return { bytes, sent: new Int32Array(new SharedArrayBuffer(4)) }
}

/** The place of a piece in the memory. The number of the first is 0. */
export function placeOf({ bytes }: PieceMemory, number: number): Buffer {
  return Buffer.from(bytes, (number % pieces) * pieceBytes, pieceBytes)
}

/** Tells the thread that the memory of the oldest piece can be used again. */
export function allowNext({ sent }: PieceMemory): void {
  Atomics.add(sent, 0, 1)
  Atomics.notify(sent, 0)
}

/**
 * Reads a part of a file with synchronous calls, for worker threads. Ends at the end of the part or of the file, and when
 * the client is slow or has left.
 *
 * @throws the error of the disk
 */
export async function readPieces(task: ReadTask, report: (piece: ReadPiece) => void): Promise<void> {
  const { file, to, memory } = task
  const compute = await fastChecksum()
  let { from: position, checksum } = task
  for (let number = 0; position < to && hasRoom(memory, number); number++) {
    const piece = placeOf(memory, number)
    const bytes = readSync(file, piece, 0, Math.min(pieceBytes, to - position), position)
    if (bytes === 0) return
    position += bytes
    checksum = compute(piece.subarray(0, bytes), checksum)
    report({ bytes, checksum })
  }
}

/** Waits until the memory has room for the piece. Returns false if the client is too slow. */
function hasRoom({ sent }: PieceMemory, number: number): boolean {
  for (;;) {
    const count = Atomics.load(sent, 0)
    if (number - count < pieces) return true
    if (Atomics.wait(sent, 0, count, patienceMs) === 'timed-out') return false
  }
}
