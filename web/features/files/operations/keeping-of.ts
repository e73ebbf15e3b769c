import type { Keeping } from '#contract/history/kept.ts'
import { api } from '#web/api/client.ts'

/** What happens to deleted entries of a folder; null: unknown. */
export type KeepingAnswer = Keeping | null

/** How long a deletion waits for the answer, in milliseconds. A busy disk must not prevent deletion. */
const maxWaitMs = 3000

/** Asks the server what happens to deleted entries of `folder`. Never throws. */
export async function keepingOf(folder: string): Promise<KeepingAnswer> {
  const signal = AbortSignal.timeout(maxWaitMs)
  return api('GET /api/keeping/*', { params: { '*': folder } }, { signal }).catch(() => null)
}
