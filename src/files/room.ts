/** Asks for room in memory before many bytes are read whole; what rejects it is the answer. */
export type Room = (bytes: number) => Promise<unknown>

/** Up to this size, in bytes, nobody asks: most texts are small, and a thousand of them at once cost little. */
export const smallText = 256 * 1024
