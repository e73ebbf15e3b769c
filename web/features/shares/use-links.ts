import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import type { ShareView } from '#contract/shares.ts'
import { ApiProblem } from '#web/api/client.ts'
import { codeOf, fieldOf, problemText } from '#web/api/problems/problem-text.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { sharesOf, type Target } from './share-state.ts'

/** The links of a target, and a way to change them. `links` is undefined until they are known. */
export function useLinks(target: Target) {
  const { i18n } = useLingui()
  const [links, setLinks] = useState<readonly ShareView[]>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<ApiProblem>()
  /** Counts the requests for the list. A slow answer must not hide what was created since. */
  const requests = useRef(0)
  const load = async () => {
    const number = ++requests.current
    const now = await sharesOf(target)
    if (number !== requests.current) return
    setLinks(now)
    setError(undefined)
  }
  const fail = (reason: unknown) => {
    setError(i18n._(problemText(codeOf(reason))))
    setLinks((before) => before ?? [])
  }
  /** Runs a task that changes links, and shows them as they are then. Returns whether it was done. */
  const attempt = async (task: () => Promise<unknown>, done?: string) => {
    setBusy(true)
    try {
      await task()
      if (done) showToast('success', done)
      await load()
      return true
    } catch (reason) {
      if (reason instanceof ApiProblem && fieldOf(reason)) setRefused(reason)
      else fail(reason)
      return false
    } finally {
      setBusy(false)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads the links once; every change reloads them.
  useEffect(() => {
    // The form can be used meanwhile.
    load().catch(fail)
  }, [target])
  return { links, error, refused, isBusy, attempt, reload: () => void load().catch(fail) }
}
