import type { Keeping } from '#contract/history/kept.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'

/** What happens to deleted entries of a folder; null: unknown. */
export type KeepingAnswer = Keeping | null

/** How long a deletion waits for the answer, in milliseconds. A busy disk must not prevent deletion. */
const maxWaitMs = 3000

/**
 * Asks the server what happens to deleted entries of `folder`.
 *
 * @throws ApiProblem `network.lost` when the server cannot be reached: then it could not delete them either.
 */
export async function keepingOf(folder: string): Promise<KeepingAnswer> {
  const signal = AbortSignal.timeout(maxWaitMs)
  return api('GET /api/keeping/*', { params: { '*': folder } }, { signal }).catch((error: unknown) => {
    if (codeOf(error) === 'network.lost' && !signal.aborted) throw error
    return null
  })
}
