import type { UserPath } from '#src/files/paths/user-path.ts'

/** Memory that is reserved for a response until it is sent. */
export interface MemoryBudget {
  /**
   * Waits for memory before a large file is read completely.
   *
   * @param paths the paths to read, as requested and with links resolved: access is checked again after the wait
   * @throws the error to refuse the request with
   */
  text(bytes: number, paths: readonly UserPath[]): Promise<void>
  /** Reserves memory for a listing that exists already. @throws Problem `server.busy` when there is none. */
  listing(bytes: number): void
}

/** Texts up to this size, in bytes, need no reservation: most texts are small, and a thousand of them need little. */
export const smallTextBytes = 256 * 1024
