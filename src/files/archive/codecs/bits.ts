import { cut, free } from '#src/core/memory/free.ts'

/** Writes bits into bytes, the most significant bit first. */
export interface Bits {
  /** Appends the lowest `count` bits of `value`. `count` is at most 24. */
  put(value: number, count: number): void
  /** Returns the bytes. Fills the last one with zero bits. */
  end(): Uint8Array<ArrayBuffer>
}

/** Creates a bit writer. `guessBytes` is the initial size of its buffer, which grows when needed. */
export function createBits(guessBytes: number): Bits {
  let out = new Uint8Array(guessBytes)
  let at = 0
  let held = 0
  let pending = 0
  return {
    put(value, count) {
      pending = (pending << count) | value
      held += count
      while (held >= 8) {
        held -= 8
        if (at === out.length) out = grown(out)
        out[at++] = pending >>> held
      }
      pending &= (1 << held) - 1
    },
    end() {
      if (held > 0) this.put(0, 8 - held)
      return cut(out, at)
    },
  }
}

function grown(out: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(out.length * 2)
  larger.set(out)
  free(out)
  return larger
}
