import { finished, type Readable } from 'node:stream'

/**
 * Watches for the end of a body. `reached` rejects when the body fails, with the reason of the signal, or with the error
 * that was given to `refuse`. The caller calls `unwatch`. Each small file needs this. `AbortSignal.any` would cost more,
 * because it creates weak references.
 */
export function endOf(body: Readable, signal: AbortSignal) {
  const { promise: reached, resolve, reject } = Promise.withResolvers<void>()
  reached.catch(() => {}) // an error before the caller waits for it
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  let isOver = false
  const unlisten = finished(body, { writable: false }, (error) => {
    isOver = true
    if (error) reject(error)
    else resolve()
  })
  const unwatch = () => {
    signal.removeEventListener('abort', onAbort)
    // A body that is over may still report an error, which needs a listener.
    if (!isOver) unlisten()
  }
  return { reached, refuse: reject, unwatch }
}
