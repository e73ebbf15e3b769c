import { createUsage, hasMemory, processors } from './machine.ts'
import type { FileResult } from './worker.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

// Test files wait for disks, time-outs and browsers. So more of them run at once while a processor is idle.
const checkMs = 2000
const maximum = processors * 4

interface RunOptions {
  /** Whether a file runs in a process that runs no other file. */
  needsOwn(file: string): boolean
  onStart(file: string): void
  onResult(result: FileResult): void
}

/**
 * Runs test files in several processes, in this order, as many at once as the machine has idle processors and memory.
 */
export async function runFiles(
  files: readonly string[],
  { needsOwn, onStart, onResult }: RunOptions,
): Promise<void> {
  const waiting = [...files]
  const idle: WorkerProcess[] = []
  const running = new Set<Promise<void>>()
  let target = processors
  const { promise, resolve } = Promise.withResolvers<void>()

  async function run(file: string): Promise<void> {
    const isOwn = needsOwn(file)
    onStart(file)
    const worker = (isOwn ? undefined : idle.pop()) ?? startWorker()
    onResult(await worker.run(file))
    if (!isOwn && worker.isUsable()) idle.push(worker)
    else worker.end()
  }

  function fill(): void {
    while (running.size < target && waiting.length > 0) {
      const task = run(waiting.shift() as string).then(() => {
        running.delete(task)
        fill()
      })
      running.add(task)
    }
    if (running.size === 0) resolve()
  }

  const usage = createUsage()
  const timer = setInterval(() => {
    target = nextTarget(target, usage(), running.size)
    fill()
  }, checkMs)
  fill()
  await promise
  clearInterval(timer)
  for (const worker of idle) worker.end()
}

/** How many files may run at once from now on. */
function nextTarget(target: number, used: number, running: number): number {
  const isFull = used > 0.98 && target > processors
  if (isFull) return target - 1
  return used < 0.9 && running >= target && target < maximum && hasMemory() ? target + 1 : target
}
