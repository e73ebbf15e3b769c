declare module 'omggif' {
  export class GifWriter {
    constructor(room: Uint8Array, width: number, height: number, options: { loop: number })
    addFrame(
      x: number,
      y: number,
      width: number,
      height: number,
      indices: Uint8Array,
      options: { palette: readonly number[] },
    ): void
    /** Answers how many bytes were written. */
    end(): number
  }
}
