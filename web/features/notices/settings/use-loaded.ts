import { useCallback, useEffect, useState } from 'react'
import { problemMessage } from '#web/api/problems/problem-text.ts'

/**
 * Loads a value of the server when a component appears. `failure` is the sentence of the error, empty while there is none.
 * An answer after the component has disappeared is ignored.
 *
 * @param request the same function each time
 */
export function useLoaded<Value>(request: () => Promise<Value>) {
  const [value, setValue] = useState<Value>()
  const [failure, setFailure] = useState('')
  const load = useCallback(async () => {
    try {
      setValue(await request())
      setFailure('')
    } catch (error) {
      setFailure(problemMessage(error))
    }
  }, [request])
  useEffect(() => void load(), [load])
  return { value, failure, setValue, load }
}
