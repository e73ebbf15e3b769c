import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import type { Pace } from '#src/core/concurrency/pace.ts'

// Small, because each waiting response keeps one.
const partBytes = 64 * 1024

/**
 * Returns a stream whose bytes go to `out` at a limited rate. Without a limit, this is `out` itself. Ending the stream is
 * up to the caller, who ends `out`.
 *
 * @param signal aborts when the client has disconnected
 */
export function paced(out: ServerResponse, pace: Pace | undefined, signal: AbortSignal): Writable {
  if (!pace) return out
  const forward = async (bytes: Buffer): Promise<void> => {
    for (let at = 0; at < bytes.length; at += partBytes) {
      const part = bytes.subarray(at, at + partBytes)
      await pace(part.length, signal)
      await new Promise<void>((done, fail) => out.write(part, (error) => (error ? fail(error) : done())))
    }
  }
  return new Writable({
    highWaterMark: partBytes,
    write(bytes: Buffer, _encoding, done) {
      forward(bytes).then(() => done(), done)
    },
  })
}
