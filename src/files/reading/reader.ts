import type { Writable } from 'node:stream'

/** A client that receives bytes and may disconnect at any time. */
export interface ChunkWriter {
  /** Resolves when the system has taken `chunk`. Rejects as soon as the client disconnects. */
  write(chunk: Buffer): Promise<void>
  /** Removes the listeners. */
  unwatch(): void
}

/**
 * Watches `out` and `signal`, so that a write to a disconnected client fails at once: a closed HTTP response never
 * calls back for data that it has not sent. The write rejects with the reason of the signal, the error of the stream,
 * or `ECONNRESET`.
 */
export function createChunkWriter(out: Writable, signal: AbortSignal): ChunkWriter {
  let failure: { reason: unknown } | undefined
  let fail: ((reason: unknown) => void) | undefined
  const disconnect = (reason: unknown) => {
    failure ??= { reason }
    fail?.(failure.reason)
  }
  const onClose = () => disconnect(disconnected())
  const onAbort = () => disconnect(signal.reason)
  out.on('close', onClose)
  out.on('error', disconnect)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  if (out.destroyed || out.closed) disconnect(out.errored ?? disconnected())
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure.reason)
        fail = reject
        out.write(chunk, (error) => (error ? disconnect(error) : resolve()))
      }),
    unwatch() {
      out.off('close', onClose)
      signal.removeEventListener('abort', onAbort)
      // A stream reports a failed write twice: to the write, then as an event. Keep the listener, or the event is
      // unhandled.
      if (!failure) out.off('error', disconnect)
    },
  }
}

function disconnected(): Error {
  return Object.assign(new Error('the reader has left'), { code: 'ECONNRESET' })
}
