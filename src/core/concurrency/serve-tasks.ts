import { parentPort, type Transferable } from 'node:worker_threads'
import type { Answer } from './worker-pool.ts'

/** What a task answers, which of its buffers are handed over instead of copied, and whether the thread ends after it. */
export interface Done<Result> {
  result: Result
  transfer?: Transferable[]
  isLast?: boolean
}

/**
 * The other side of `createWorkerPool`, called once by each `*-worker.ts`: does the tasks that come, one at a time. `tell`
 * sends something on the way.
 *
 * @param how.isTimed reports the processor time of the thread before each task, for `Run.processorMs`
 */
export function serveTasks<Task, Result, Part = never>(
  work: (task: Task, tell: (part: Part) => void) => Done<Result> | Promise<Done<Result>>,
  { isTimed = false } = {},
): void {
  const say = (answer: Answer, transfer: Transferable[] = []) => parentPort?.postMessage(answer, transfer)
  parentPort?.on('message', async (task: Task) => {
    try {
      if (isTimed) say({ begunAt: process.threadCpuUsage() })
      const { result, transfer, isLast = false } = await work(task, (part) => say({ part }))
      say({ result, isLast }, transfer)
    } catch (error) {
      // Errors lose their own fields on the way; the system's code is what callers decide by.
      const { code, syscall, message } = error as NodeJS.ErrnoException
      say({ error: { message, ...(code && { code }), ...(syscall && { syscall }) } })
    }
  })
}
