import type { ServerResponse } from 'node:http'

// What is taken away takes what is under way with it within this time, in milliseconds.
const lookAgainMs = 500

/**
 * Asks again and again whether an answer that is under way may still be given, and breaks it off when it may not. An
 * answer that is over before the first question costs nothing.
 */
export function abortWhenRevoked(out: ServerResponse, isAllowed: () => boolean): void {
  if (out.destroyed) return
  const stop = watchAccess(isAllowed, () => out.destroy())
  out.once('close', stop)
}

/** Calls `lost` once when `isAllowed` no longer says so. Answers how to stop asking. */
export function watchAccess(isAllowed: () => boolean, lost: () => void): () => void {
  const timer = setInterval(() => {
    if (isAllowed()) return
    clearInterval(timer)
    lost()
  }, lookAgainMs).unref()
  return () => clearInterval(timer)
}
