import { api } from '#web/api/client.ts'
import { page } from '#web/shared/page.ts'

/** Timeout of a health check and the time between two checks, in milliseconds. */
const timeoutMs = 5000
const pauseMs = 3000

/** Maximum attempts for an upload that breaks off while the server is reachable. */
const maxTries = 3
/** Errors after which a retry may succeed. */
const retryable: readonly string[] = ['network.lost', 'request.cut', 'server.busy', 'auth.required']

/** A file that is sent. */
interface Sent {
  /** Bytes. */
  size: number
  /** Bytes sent so far. */
  sent: number
  /** It is sent in pieces, which the server keeps. */
  inPieces: boolean
}

const tries = new WeakMap<Sent, { count: number; sent: number }>()

/** Whether a retry may succeed after an error with this code. */
export function mayRetry(code: string): boolean {
  return retryable.includes(code)
}

/**
 * Waits before the next attempt of `file`, longer after each consecutive failure. A try that sent more than the one before
 * does not count. Returns false, at once, after the last attempt.
 */
export async function waitForRetry(file: Sent, signal: AbortSignal): Promise<boolean> {
  const before = tries.get(file)
  const count = before && file.sent <= before.sent ? before.count + 1 : 1
  tries.set(file, { count, sent: file.inPieces ? file.sent : file.size })
  if (count >= (file.inPieces ? page.TusSettings.retryCount : maxTries)) return false
  await waitFor(1000 * count, signal)
  return true
}

/** Forgets the failures of `file`, which the user tries again. */
export function forgetTries(file: Sent): void {
  tries.delete(file)
}

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
async function untilReachable(signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await isReachable())) await waitFor(pauseMs, signal)
}

/** Waits for `ms` milliseconds, or until the network returns or `signal` aborts. */
function waitFor(ms: number, signal: AbortSignal): Promise<void> {
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
  // A file that was removed before its size was read seems to be empty, and so does every part of it.
  const part = body.size === 0 ? body : body.slice(0, 1)
  return part.arrayBuffer().then(
    () => true,
    () => false,
  )
}

/** Calls `onReachable` once the server is reachable. Returns what stops the waiting. */
export function wakeWhenReachable(onReachable: () => void): AbortController {
  const waking = new AbortController()
  const { signal } = waking
  void untilReachable(signal).then(() => {
    if (!signal.aborted) onReachable()
  })
  return waking
}
