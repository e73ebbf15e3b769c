import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform, Writable } from 'node:stream'
import type { Pace } from '#src/core/concurrency/pace.ts'

// Small, because each waiting response keeps one.
const chunkBytes = 64 * 1024

/** Returns the body of a request, at a limited rate. Without a limit, this is the request itself. */
export function pacedBody(body: IncomingMessage, pace: Pace | undefined): Readable {
  if (!pace) return body
  const gone = new AbortController()
  const passing = new Transform({
    transform(part: Buffer, _encoding, done) {
      pace(part.length, gone.signal).then(() => done(null, part), done)
    },
  })
  passing.once('close', () => gone.abort())
  // A connection that breaks must not look like the end of the body.
  body.once('close', () => body.complete || passing.destroy())
  return body.pipe(passing)
}

/**
 * Returns a stream whose bytes go to `out` at a limited rate. Without a limit, this is `out` itself. Ending the stream is
 * up to the caller, who ends `out`.
 *
 * @param signal aborts when the client has disconnected
 */
export function paced(out: ServerResponse, pace: Pace | undefined, signal: AbortSignal): Writable {
  if (!pace) return out
  // The first bytes may have to wait.
  out.flushHeaders()
  const forward = async (bytes: Buffer): Promise<void> => {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const part = bytes.subarray(at, at + chunkBytes)
      await pace(part.length, signal)
      await new Promise<void>((done, fail) => out.write(part, (error) => (error ? fail(error) : done())))
    }
  }
  return new Writable({
    highWaterMark: chunkBytes,
    write(bytes: Buffer, _encoding, done) {
      forward(bytes).then(() => done(), done)
    },
  })
}
