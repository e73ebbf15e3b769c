/** The total bytes sent at a time in milliseconds. */
interface Sample {
  at: number
  bytes: number
}

const windowMs = 4000

/** Measures the rate over the last 4 seconds, so that it is smooth but current. */
export function createSpeedMeter() {
  let samples: Sample[] = []
  return {
    /** Records the total number of bytes sent. */
    record(bytes: number, at = Date.now()): void {
      samples = [...samples.filter((sample) => at - sample.at < windowMs), { at, bytes }]
    },
    /** Bytes per second; undefined until half a second is measured. */
    rate(): number | undefined {
      const [first, last] = [samples[0], samples.at(-1)]
      if (!first || !last || last.at - first.at < 500) return undefined
      return Math.max(0, ((last.bytes - first.bytes) / (last.at - first.at)) * 1000)
    },
    /** Discards all samples. */
    reset(): void {
      samples = []
    },
  }
}
