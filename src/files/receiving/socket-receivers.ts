import { closeSync } from 'node:fs'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { canReadSockets, type Received, type RestOfBody, type SocketTask } from './socket-task.ts'

/** The connection of a request, from which a thread may read the rest of the body. */
export interface BodySocket {
  /**
   * Ends the reading by Node, for good: the connection closes after the response. What Node has read is in the body. The
   * idle timeout, which notices only what Node reads, is paused. Undefined when this is not possible; then nothing changes.
   */
  detach(): DetachedSocket | undefined
  /** Closes the connection. */
  destroy(): void
  /** Ends the body for Node, and continues the idle timeout. Returns whether the connection is still open. */
  end(): boolean
}

/** A connection that Node does not read any more. */
export interface DetachedSocket {
  /** Another descriptor of the connection. The caller closes it. */
  readonly descriptor: number
  /** The idle timeout, in milliseconds. 0: none. */
  readonly idleMs: number
}

/**
 * A connection that a thread reads from, or will read from. Disposing it stops the thread. What is left of the body is then
 * discarded, because most clients read the response only after they have sent everything.
 */
export interface SocketReceiver extends AsyncDisposable {
  /**
   * Writes the rest of the body to its file. Returns the offset up to which the file was written. Closes the connection of
   * an idle client.
   *
   * @param report called from time to time with the offset up to which the file was written
   * @throws the error of the disk
   */
  receive(rest: RestOfBody, report: (position: number) => void): Promise<number>
}

/** More uploads at once are received on the main thread. A thread has a buffer of 1 MiB. */
const mostThreads = 2
// A thread needs 10 MB. The next piece of the same upload follows sooner.
const threadIdleMs = 10_000

/** Creates the threads that receive large bodies. They start when needed. */
export function createSocketReceivers() {
  const pool = createWorkerPool<SocketTask, Received, number>('receive', {
    threads: mostThreads,
    idleMs: threadIdleMs,
  })
  const permits = createSemaphore('threads that receive uploads', { all: mostThreads })

  return {
    /**
     * Detaches a connection from Node. Undefined, and nothing changes, when no thread is ready. If there is room for one, it
     * starts, so that a later call succeeds.
     */
    take(socket: BodySocket): SocketReceiver | undefined {
      const permit = canReadSockets() ? permits.tryAcquire('all') : undefined
      const detached = permit && pool.prepare() ? socket.detach() : undefined
      if (!detached) {
        permit?.[Symbol.dispose]()
        return undefined
      }
      const { descriptor, idleMs } = detached
      const stopped = new Int32Array(new SharedArrayBuffer(4))
      let running: Promise<number> | undefined
      let end = Number.NaN
      const run = (rest: { rest?: RestOfBody }, how: { onPart?: (position: number) => void } = {}) =>
        pool.run({ ...rest, socket: descriptor, idleMs, stopped }, { recheck: () => {}, ...how })

      return {
        receive(rest, report) {
          end = rest.to
          running = run({ rest }, { onPart: report }).then(({ position, isIdle }) => {
            if (isIdle) socket.destroy()
            return position
          })
          return running
        },
        async [Symbol.asyncDispose]() {
          Atomics.store(stopped, 0, 1)
          const position = await running?.catch(() => undefined) // reported by `receive`
          const isDiscarding = socket.end() && position !== end
          // The response does not wait until the rest is discarded, and it does not matter whether this succeeds.
          const discarded = isDiscarding ? run({}).catch(() => {}) : Promise.resolve()
          void discarded.then(() => {
            closeSync(descriptor)
            permit?.[Symbol.dispose]()
          })
        },
      }
    },
    close: () => pool.close(),
  }
}

/** The threads that receive large bodies. */
export type SocketReceivers = ReturnType<typeof createSocketReceivers>
