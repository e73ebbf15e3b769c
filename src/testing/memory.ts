import { readFileSync, writeFileSync } from 'node:fs'

const mebibyte = 1024 * 1024

/**
 * Watches the largest resident memory of this process, all threads together, from now on. Answers MiB more than there are
 * now; zero where the system does not say (Linux does, in `VmHWM` of proc(5)).
 */
export function watchPeak(): () => number {
  const peak = () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(read('/proc/self/status'))?.[1] ?? 0) * 1024
  try {
    writeFileSync('/proc/self/clear_refs', '5') // sets the peak to what there is now
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
