import { api } from '#web/api/client.ts'

/** How long an answer to "are you there" may take, and how long to wait before asking again, in milliseconds. */
const patienceMs = 5000
const pauseMs = 3000

/** Whether the server answers at all: what broke off was then the upload itself, not the connection. */
export async function isReachable(): Promise<boolean> {
  if (!navigator.onLine) return false
  return api('GET /health', undefined, { signal: AbortSignal.timeout(patienceMs) }).then(
    () => true,
    () => false,
  )
}

/** Waits until the server answers again, or until `signal` aborts. Asks every few seconds, and when the network is back. */
export async function untilReachable(signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await isReachable())) await waitFor(pauseMs, signal)
}

/** Waits for `ms` milliseconds, less when the network comes back or `signal` aborts. */
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

/** Whether a file can still be read here: it may have been moved, changed or taken out with its disk. */
export async function isReadable(body: Blob): Promise<boolean> {
  return body
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
}
