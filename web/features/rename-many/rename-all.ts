import { api, type FailureCode, type OnOperation } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { encodePath } from '#web/shared/paths.ts'
import type { Step } from './rename-order.ts'

interface Run {
  /** Decoded, with a closing slash. */
  folder: string
  steps: readonly Step[]
  /** Stops after the running step, or after the running cycle. */
  signal: AbortSignal
  onOperation: OnOperation
  onProgress(done: number): void
}

/** What a run has done. */
export interface RunResult {
  done: Step[]
  /** The step that the server has refused, and why; also a command that failed after a step (`hook.after`). */
  refusal: { name: string; code: FailureCode } | undefined
}

/** Renames one item after the other. Stops at the first refusal, and takes the steps of an unfinished cycle back. */
export async function renameAll({ folder, steps, signal, onOperation, onProgress }: Run): Promise<RunResult> {
  const done: Step[] = []
  let refusal: RunResult['refusal']
  for (const step of steps) {
    const isInside = step.cycle !== undefined && done.at(-1)?.cycle === step.cycle
    if (signal.aborted && !isInside) break
    const code = await renameOne(folder, step, onOperation)
    if (code) refusal ??= { name: step.from, code }
    if (code && code !== 'hook.after') {
      await takeBack(step.cycle)
      break
    }
    done.push(step)
    onProgress(done.length)
  }
  return { done, refusal }

  async function takeBack(cycle: number | undefined): Promise<void> {
    while (cycle !== undefined && done.at(-1)?.cycle === cycle) {
      const { from, to } = done.at(-1) as Step
      const code = await renameOne(folder, { from: to, to: from }, onOperation)
      if (code && code !== 'hook.after') return
      done.pop()
    }
  }
}

/** Returns the code of the refusal; undefined when the item has the new name. */
async function renameOne(
  folder: string,
  { from, to }: Step,
  onOperation: OnOperation,
): Promise<FailureCode | undefined> {
  const query = { action: 'rename', destination: encodePath(folder + to) } as const
  try {
    await api('PATCH /api/resources/*', { params: { '*': folder + from }, query }, { onOperation })
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}
