import type { Writable } from 'node:stream'

/** Someone who is being sent bytes and may leave at any time. */
export interface Reader {
  /** Settles when the system has taken `chunk`, or rejects as soon as the reader leaves. */
  write(chunk: Buffer): Promise<void>
  /** Takes the listeners off again. */
  unwatch(): void
}

/**
 * Watches `out` and `signal`, so that a write to a reader who left ends at once: a closed HTTP reply never calls back
 * for what it had not sent. The write rejects with the signal's reason, the stream's error, or `ECONNRESET`.
 */
export function readerOf(out: Writable, signal: AbortSignal): Reader {
  let gone: { reason: unknown } | undefined
  let fail: ((reason: unknown) => void) | undefined
  const lose = (reason: unknown) => {
    gone ??= { reason }
    fail?.(gone.reason)
  }
  const onClose = () => lose(departure())
  const onAbort = () => lose(signal.reason)
  out.on('close', onClose)
  out.on('error', lose)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  if (out.destroyed || out.closed) lose(out.errored ?? departure())
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (gone) return reject(gone.reason)
        fail = reject
        out.write(chunk, (error) => (error ? lose(error) : resolve()))
      }),
    unwatch() {
      out.off('close', onClose)
      signal.removeEventListener('abort', onAbort)
      // A stream tells of a failed write twice: to the write, then as an event, which nobody else may be awaiting.
      if (!gone) out.off('error', lose)
    },
  }
}

function departure(): Error {
  return Object.assign(new Error('the reader has left'), { code: 'ECONNRESET' })
}
