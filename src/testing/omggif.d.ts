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
    /** Returns the number of bytes written. */
    end(): number
  }
}
