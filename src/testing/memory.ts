import { readFileSync, writeFileSync } from 'node:fs'

const mebibyte = 1024 * 1024

/**
 * Starts to watch the peak resident memory of this process, all threads together. Returns a function that returns the
 * increase in MiB; zero if the system does not report the peak (Linux does, in `VmHWM` of proc(5)).
 */
export function watchPeakMemory(): () => number {
  const peak = () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(read('/proc/self/status'))?.[1] ?? 0) * 1024
  try {
    writeFileSync('/proc/self/clear_refs', '5') // resets the peak to the current value
  } catch {
    return () => 0
  }
  const before = peak()
  return () => Math.round((peak() - before) / mebibyte)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
