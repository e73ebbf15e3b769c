import type { Connection } from './connection.ts'

// Clients are disconnected within this time after their access is revoked, in milliseconds, as from other responses.
const sweepEveryMs = 500
// Proxies close connections on which nothing is sent, many of them after 60 s.
const commentEveryMs = 20_000
const verifyEveryMs = 30_000
// A connection ends after this time. The client connects again, with new rights and perhaps to another process.
const longestMs = 60 * 60_000

/**
 * Runs what all connections need from time to time, while there is one: checks of the session, comments, and opening
 * the shown folders again.
 *
 * @param verify opens the shown folders of all connections again
 */
export function createTimers(connections: ReadonlyMap<string, Connection>, verify: () => Promise<void>) {
  let timers: NodeJS.Timeout[] = []
  let isVerifying = false

  function sweep(): void {
    for (const { actor, stream, since } of connections.values()) {
      if (!actor.hasAccess([])) stream.abort()
      else if (performance.now() - since > longestMs) stream.end()
      else stream.reportLost()
    }
  }

  function sendComments(): void {
    for (const { stream } of connections.values()) stream.sendComment()
  }

  async function verifyOnce(): Promise<void> {
    if (isVerifying) return
    isVerifying = true
    await verify().finally(() => {
      isVerifying = false
    })
  }

  return {
    /** Starts the timers with the first connection, and stops them after the last. */
    update(): void {
      if (connections.size === 0) {
        for (const timer of timers) clearInterval(timer)
        timers = []
      } else if (timers.length === 0) {
        const rows = [
          [sweep, sweepEveryMs],
          [sendComments, commentEveryMs],
          [() => void verifyOnce(), verifyEveryMs],
        ] as const
        timers = rows.map(([work, everyMs]) => setInterval(work, everyMs).unref())
      }
    },
  }
}
