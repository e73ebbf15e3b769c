import type { UserPath } from './user-path.ts'

/**
 * Waits for room in memory before many bytes are read whole.
 *
 * @param paths what is read, as it was asked for and with links resolved: the right to it is checked after the wait
 * @throws what the call is to be refused with
 */
export type Room = (bytes: number, paths: readonly UserPath[]) => Promise<unknown>

/** Up to this size, in bytes, nobody asks: most texts are small, and a thousand of them at once cost little. */
export const smallText = 256 * 1024
