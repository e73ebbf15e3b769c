import { parentPort, type Transferable } from 'node:worker_threads'
import type { WorkerMessage } from './worker-pool.ts'

/** The result of a task, the buffers to transfer instead of copying, and whether the thread ends after the task. */
export interface TaskResult<Result> {
  result: Result
  transfer?: Transferable[]
  isLast?: boolean
}

/**
 * The worker's side of `createWorkerPool`. Each `*-worker.ts` calls it once. Runs the tasks it receives one at a time.
 * `sendPart` sends a part of the result before the end.
 *
 * @param how.isTimed reports the processor time of the thread before each task, for `Run.processorMs`
 */
export function serveTasks<Task, Result, Part = never>(
  work: (task: Task, sendPart: (part: Part) => void) => TaskResult<Result> | Promise<TaskResult<Result>>,
  { isTimed = false } = {},
): void {
  const post = (answer: WorkerMessage, transfer: Transferable[] = []) =>
    parentPort?.postMessage(answer, transfer)
  parentPort?.on('message', async (task: Task) => {
    try {
      if (isTimed) post({ startedAt: process.threadCpuUsage() })
      const { result, transfer, isLast = false } = await work(task, (part) => post({ part }))
      post({ result, endsThread: isLast }, transfer)
    } catch (error) {
      // Errors lose their own fields when they are posted. Callers need the code of the system.
      const { code, syscall, message } = error as NodeJS.ErrnoException
      post({ error: { message, ...(code && { code }), ...(syscall && { syscall }) } })
    }
  })
}
