import { type RefObject, useEffect, useState } from 'react'

/** Whether the focus has entered `host` by a key. People who use the pointer do not need the keys that leave it. */
export function useKeyFocus(host: RefObject<HTMLElement | null>): boolean {
  const [isByKey, setByKey] = useState(false)
  useEffect(() => {
    const controller = new AbortController()
    const options = { signal: controller.signal, capture: true }
    let isKey = false
    const onKey = ({ target }: KeyboardEvent) => {
      // Typing in the text says nothing about how the focus came there.
      isKey ||= target !== host.current
    }
    const onPointer = () => {
      isKey = false
      setByKey(false)
    }
    addEventListener('keydown', onKey, options)
    addEventListener('pointerdown', onPointer, options)
    addEventListener('focusin', ({ target }) => setByKey(isKey && target === host.current), options)
    return () => controller.abort()
  }, [host])
  return isByKey
}
