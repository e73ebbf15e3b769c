import type { ServerResponse } from 'node:http'

// Running responses are aborted within this time after access is revoked, in milliseconds.
const checkIntervalMs = 500

/**
 * Checks repeatedly whether a running response is still allowed, and aborts it when it is not. A response that ends
 * before the first check costs nothing.
 */
export function abortWhenRevoked(out: ServerResponse, isAllowed: () => boolean): void {
  if (out.destroyed) return
  const stop = watchAccess(isAllowed, () => out.destroy())
  out.once('close', stop)
}

/** Calls `onRevoked` once when `isAllowed` returns false. Returns a function that stops checking. */
export function watchAccess(isAllowed: () => boolean, onRevoked: () => void): () => void {
  const timer = setInterval(() => {
    if (isAllowed()) return
    clearInterval(timer)
    onRevoked()
  }, checkIntervalMs).unref()
  return () => clearInterval(timer)
}
