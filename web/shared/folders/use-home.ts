import { useEffect, useState } from 'react'
import type { HomePlace } from '#contract/settings.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { useRested } from '#web/shared/lists/use-rested.ts'

/** Delay between the last key press and the request, in milliseconds. */
const debounceMs = 300

/**
 * What is at a typed path of the served folder. `invalid`: the text is no path. Undefined while it is not known, also if
 * the server cannot be asked.
 */
export function useHome(typed: string): HomePlace | 'invalid' | undefined {
  const path = useRested(typed, debounceMs)
  const [answer, setAnswer] = useState<{ path: string; target: HomePlace | 'invalid' }>()
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    api('GET /api/homes', { query: { path } }, { signal }).then(
      (target) => signal.aborted || setAnswer({ path, target }),
      (error: unknown) => {
        const isInvalid = /^(path|request)\.invalid$|^path\.deep$/.test(codeOf(error))
        // After any other failure nothing is shown here. Saving then reports it.
        if (isInvalid && !signal.aborted) setAnswer({ path, target: 'invalid' })
      },
    )
    return () => controller.abort()
  }, [path])
  return answer?.path === typed ? answer.target : undefined
}
