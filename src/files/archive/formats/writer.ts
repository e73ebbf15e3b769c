import type { LargeHeader } from './entry.ts'

/** Reads a file up to the announced size and passes the pieces to `take`, in order. */
export type ReadPieces = (take: (piece: Buffer) => Promise<void>) => Promise<void>

/** Writes one archive. */
export interface Writer {
  readonly format: 'zip' | 'tar'
  /**
   * Writes entries that a thread has packed.
   *
   * @param records for a zip: their records of the central directory, see `moveRecords`. The offsets count from the start
   *   of `bytes`.
   */
  writePacked(bytes: Uint8Array, records: Uint8Array): Promise<void>
  /** Writes one file, which is read while it is written. */
  writeLarge(facts: LargeHeader, takeFile: ReadPieces): Promise<void>
  /** Writes a generated text file. */
  writeText(entry: string, content: Buffer): Promise<void>
  end(): Promise<void>
  /** Waits for tasks that are running on threads. */
  stop(): Promise<void>
}
