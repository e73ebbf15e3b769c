import type { Worker } from 'node:worker_threads'

/** Processor time of a thread, in microseconds. */
export interface ProcessorTime {
  user: number
  system: number
}

/** A task used more processor time than its limit. */
export class ProcessorTimeExceeded extends Error {}

/**
 * Calls `onOver` once `worker` has used `mostMs` of processor time since it had used `begunAt`. Processor time does not
 * depend on the load of the machine, so that no task fails because of others.
 *
 * @returns a function that stops the limit.
 */
export function limitProcessorTime(
  worker: Worker,
  { begunAt, mostMs }: { begunAt: ProcessorTime; mostMs: number },
  onOver: (over: ProcessorTimeExceeded) => void,
): () => void {
  let isActive = true
  let timer: NodeJS.Timeout | undefined
  // A thread cannot use more processor time than the time that passes, so that no check is needed before the rest has
  // passed.
  const checkAfter = (leftMs: number) => {
    timer = setTimeout(check, Math.max(1, Math.ceil(leftMs))).unref()
  }
  const check = async () => {
    const used = await worker.cpuUsage().catch(() => undefined)
    if (!isActive || !used) return // the thread has ended
    const leftMs = mostMs - (used.user + used.system - begunAt.user - begunAt.system) / 1000
    if (leftMs > 0) checkAfter(leftMs)
    else onOver(new ProcessorTimeExceeded(`more than ${mostMs} ms of processor time`))
  }
  checkAfter(mostMs)
  return () => {
    isActive = false
    clearTimeout(timer)
  }
}
