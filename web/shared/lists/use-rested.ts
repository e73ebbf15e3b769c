import { useEffect, useState } from 'react'

/** The last value that stayed the same for `delayMs`. Requests wait for it, so that a held arrow key sends none. */
export function useRested<Value>(value: Value, delayMs = 250): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return rested
}
