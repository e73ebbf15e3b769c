import type { UserPath } from '#src/files/paths/user-path.ts'

/** Room in memory for an answer, until it is sent. */
export interface MemoryBudget {
  /**
   * Waits for room before many bytes are read whole.
   *
   * @param paths what is read, as it was asked for and with links resolved: the right to it is checked after the wait
   * @throws what the call is to be refused with
   */
  text(bytes: number, paths: readonly UserPath[]): Promise<void>
  /** Takes room for a listing that is there already. @throws Problem `server.busy` when there is none. */
  listing(bytes: number): void
}

/** Up to this size, in bytes, no room is asked for: most texts are small, and a thousand of them at once cost little. */
export const smallText = 256 * 1024
