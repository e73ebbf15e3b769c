import { start, stop } from '../run.ts'

// Ends with its parent, even when the parent is killed and cannot end it.
const loop = `const { ppid } = process
while (process.ppid === ppid) for (let n = 0; n < 1e7; n++);`

/** Does `work` while other processes use as much processor time as they get. They end with the work. */
export async function besideBusyLoops<T>(count: number, work: () => Promise<T>): Promise<T> {
  const loops = Array.from({ length: count }, () => start(process.execPath, ['-e', loop]))
  try {
    return await work()
  } finally {
    await Promise.all(loops.map(stop))
  }
}
