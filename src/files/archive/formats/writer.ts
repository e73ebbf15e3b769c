import type { Facts } from './entry.ts'
import type { ZipRecord } from './zip-record.ts'

/** Reads a file from its start to the announced size and hands over the pieces in order. */
export type TakeFile = (take: (piece: Buffer) => Promise<void>) => Promise<void>

/** Writes one archive. */
export interface Writer {
  readonly format: 'zip' | 'tar'
  /** Entries that a thread has packed; `records` count from the start of `bytes`. */
  packed(bytes: Uint8Array, records: readonly ZipRecord[]): Promise<void>
  /** One file that is read while it is written. */
  large(facts: Facts, takeFile: TakeFile): Promise<void>
  /** A file of our own making. */
  text(entry: string, content: Buffer): Promise<void>
  end(): Promise<void>
  /** Waits for work under way in threads. */
  stop(): Promise<void>
}
