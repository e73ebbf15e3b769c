import { useEffect, useState } from 'react'
import type { FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { rawAddress } from '#web/api/raw.ts'

/** An address for the bytes of `path`; both are undefined until it is known. `renew` asks for a fresh one. */
export function useRawAddress(path: string) {
  const [known, setKnown] = useState<{ path: string; address?: string; failure?: FailureCode }>()
  const [count, setCount] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another count asks for another address.
  useEffect(() => {
    let isGone = false
    rawAddress(path, true).then(
      (address) => isGone || setKnown({ path, address }),
      (error: unknown) => isGone || setKnown({ path, failure: codeOf(error) }),
    )
    return () => {
      isGone = true
    }
  }, [path, count])
  // What is known of the file before says nothing of this one.
  const now = known?.path === path ? known : undefined
  return { address: now?.address, failure: now?.failure, renew: () => setCount((before) => before + 1) }
}
