/** Bytes and the moment they had been sent by, in milliseconds. */
interface Sample {
  at: number
  bytes: number
}

const windowMs = 4000

/** Measures a rate over the last few seconds, so that it is calm and still true. */
export function createSpeedMeter() {
  let samples: Sample[] = []
  return {
    /** Notes that `bytes` have been sent in all. */
    note(bytes: number, at = Date.now()): void {
      samples = [...samples.filter((sample) => at - sample.at < windowMs), { at, bytes }]
    },
    /** Bytes a second; undefined until half a second is known. */
    rate(): number | undefined {
      const [first, last] = [samples[0], samples.at(-1)]
      if (!first || !last || last.at - first.at < 500) return undefined
      return Math.max(0, ((last.bytes - first.bytes) / (last.at - first.at)) * 1000)
    },
    /** Starts anew. */
    reset(): void {
      samples = []
    },
  }
}
