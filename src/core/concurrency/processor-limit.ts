import type { Worker } from 'node:worker_threads'

/** Processor time of a thread, in microseconds. */
export interface ProcessorTime {
  user: number
  system: number
}

/** A task took more processor time than it may. */
export class ProcessorTimeOver extends Error {}

/**
 * Calls `onOver` once `worker` has used `mostMs` of processor time since it had used `begunAt`. Processor time is the same
 * on a busy machine as on an idle one, so that nothing fails for what others do. Answers how to stop watching.
 */
export function limitProcessor(
  worker: Worker,
  { begunAt, mostMs }: { begunAt: ProcessorTime; mostMs: number },
  onOver: (over: ProcessorTimeOver) => void,
): () => void {
  let isOn = true
  let timer: NodeJS.Timeout | undefined
  // One thread uses no more processor time than passes: it need not be looked at before all that is left has passed.
  const lookIn = (leftMs: number) => {
    timer = setTimeout(look, Math.max(1, Math.ceil(leftMs))).unref()
  }
  const look = async () => {
    const used = await worker.cpuUsage().catch(() => undefined)
    if (!isOn || !used) return // the thread has ended
    const leftMs = mostMs - (used.user + used.system - begunAt.user - begunAt.system) / 1000
    if (leftMs > 0) lookIn(leftMs)
    else onOver(new ProcessorTimeOver(`more than ${mostMs} ms of processor time`))
  }
  lookIn(mostMs)
  return () => {
    isOn = false
    clearTimeout(timer)
  }
}
