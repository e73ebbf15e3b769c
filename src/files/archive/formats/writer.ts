import type { LargeHeader } from './entry.ts'

/** Receives the content of one file, in order. */
export interface ContentSink {
  /**
   * Resolves when the memory of `piece` can be reused.
   *
   * @param checksum the CRC-32 of the content up to the end of the piece, if the reader has computed it
   */
  write(piece: Buffer, checksum?: number): Promise<void>
  /** The CRC-32 of the content so far. Undefined if a reader need not compute it. */
  readonly checksum?: number
}

/** Reads a file up to the announced size and passes the content to `sink`. */
export type ReadContent = (sink: ContentSink) => Promise<void>

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
  writeLarge(facts: LargeHeader, readContent: ReadContent): Promise<void>
  /** Writes a generated text file. */
  writeText(entry: string, content: Buffer): Promise<void>
  end(): Promise<void>
  /** Waits for tasks that are running on threads. */
  stop(): Promise<void>
}
