import { useEffect, useState } from 'react'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { rawAddress } from '#web/api/raw.ts'

/**
 * The address of the bytes of `path`; both values are undefined until it is known. `renew` requests a new one. `known`
 * is an address that was requested before.
 */
export function useRawAddress(path: string, known?: string) {
  const [result, setResult] = useState<{ path: string; address?: string; failure?: FailureCode }>()
  const [count, setCount] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new count requests a new address.
  useEffect(() => {
    if (known && count === 0) return
    let isCancelled = false
    rawAddress(path, true).then(
      (address) => isCancelled || setResult({ path, address }),
      (error: unknown) => isCancelled || setResult({ path, failure: codeOf(error) }),
    )
    return () => {
      isCancelled = true
    }
  }, [path, count, known])
  // The result of the previous file must not be used for this one.
  const now = result?.path === path ? result : undefined
  return {
    address: now?.address ?? known,
    failure: now?.failure,
    renew: () => setCount((before) => before + 1),
  }
}
