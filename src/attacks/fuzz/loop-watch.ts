/** The processor time that one turn of the event loop may take, in milliseconds. */
const mostMs = 200
const sampleMs = 10

/** Processor time of this thread, in milliseconds. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Watches how long the event loop of this thread is blocked. It counts processor time, so that other work of the machine
 * makes no difference: no timer runs while the loop is blocked, so the time between two of them is the time of one turn.
 */
export function createLoopWatch(processorMs = threadMs) {
  let last = processorMs()
  let longest = 0
  const sample = () => {
    const now = processorMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(sample, sampleMs).unref()
  return {
    /** Forgets what was before. */
    begin(): void {
      last = processorMs()
      longest = 0
    },
    /** Called by a timer. */
    sample,
    /** Returns the fault of the time since `begin`; undefined: the loop was never blocked for long. */
    fault(): string | undefined {
      sample()
      return longest > mostMs
        ? `blocks the event loop for ${Math.round(longest)} ms of processor time`
        : undefined
    },
    close: () => clearInterval(timer),
  }
}
