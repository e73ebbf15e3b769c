import { useEffect, useState } from 'react'
import type { Keeping } from '#contract/history/kept.ts'
import { api } from '#web/api/client.ts'

/** What happens to deleted entries of a folder; undefined: not answered yet; null: unknown. */
export type KeepingAnswer = Keeping | undefined | null

/** How long a question waits for the answer, in milliseconds. A busy disk must not prevent deletion. */
const maxWaitMs = 3000

/** Asks the server what happens to deleted entries of `folder`. */
export function useKeeping(folder: string): KeepingAnswer {
  const [answer, setAnswer] = useState<KeepingAnswer>()
  useEffect(() => {
    const controller = new AbortController()
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(maxWaitMs)])
    api('GET /api/keeping/*', { params: { '*': folder } }, { signal }).then(setAnswer, () => {
      if (!controller.signal.aborted) setAnswer(null)
    })
    return () => controller.abort()
  }, [folder])
  return answer
}
