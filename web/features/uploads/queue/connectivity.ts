import { api } from '#web/api/client.ts'

/** Timeout of a health check and the time between two checks, in milliseconds. */
const timeoutMs = 5000
const pauseMs = 3000

/** Whether the server is reachable. If it is, the upload itself failed, not the connection. */
export async function isReachable(): Promise<boolean> {
  if (!navigator.onLine) return false
  return api('GET /health', undefined, { signal: AbortSignal.timeout(timeoutMs) }).then(
    () => true,
    () => false,
  )
}

/**
 * Waits until the server is reachable again or `signal` aborts. Checks every 3 seconds and when the network returns.
 */
export async function untilReachable(signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await isReachable())) await waitFor(pauseMs, signal)
}

/** Waits for `ms` milliseconds, or until the network returns or `signal` aborts. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}

/** Whether the browser can still read a local file, which may have been moved, changed or removed with its disk. */
export async function isReadable(body: Blob): Promise<boolean> {
  return body
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
}
