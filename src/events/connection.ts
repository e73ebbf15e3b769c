import type { ShownFolder } from '#contract/history/events.ts'
import type { Actor } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { FolderWatches } from '#src/files/watching/folder-watches.ts'
import type { ChangeBatch } from './changes.ts'
import { createDelivery } from './delivery.ts'
import type { EventStream } from './event-stream.ts'
import { createShownFolders } from './shown-folders.ts'
import { isOnChangedPath } from './visible-changes.ts'

// Batches that may wait for the disk of the scope.
const mostBatches = 8
// Requests to set the shown folders that may wait for a disk.
const mostRequests = 8

/** Filters the changes for one client with the present rights of its user, and sends them. */
export function createConnection(given: {
  id: string
  actor: Actor
  stream: EventStream
  watches: Pick<FolderWatches, 'watch'>
}) {
  const { id, actor, stream, watches } = given
  const shown = createShownFolders(actor, watches, {
    onReplaced: (folder) => stream.send('change', { folder }),
    onWatch: (folder) => stream.send('watch', folder),
  })
  const send = createDelivery({ actor, stream, shown })
  const inTurn = createSerial()
  const waiting: ChangeBatch[] = []
  let isDelivering = false
  let requests = 0

  async function deliverAll(): Promise<void> {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      const { folders } = batch
      // The scope is missing or silent. The client then reads what it shows, and gets the error.
      await send(batch).catch(() => stream.markLost())
      const moved = shown.pathsWhere((real) => isOnChangedPath(folders, real))
      if (moved.length > 0) await inTurn(() => shown.verify(moved))
    }
  }

  return {
    id,
    actor,
    stream,
    /** When it began, from `performance.now()`. */
    since: performance.now(),

    /** Sends the changes of a batch that the user may see. */
    deliver(batch: ChangeBatch): void {
      if (waiting.length >= mostBatches) {
        waiting.length = 0
        stream.markLost()
      }
      waiting.push(batch)
      if (isDelivering) return
      isDelivering = true
      void deliverAll().finally(() => {
        isDelivering = false
      })
    },

    /** Sets the shown folders. @throws Problem `user.busy` */
    async show(folders: readonly UserPath[]): Promise<ShownFolder[]> {
      if (requests >= mostRequests) throw new Problem('user.busy', { what: 'requests', most: mostRequests })
      requests++
      return inTurn(() => shown.set(folders)).finally(() => {
        requests--
      })
    },

    /** Opens the shown folders with these real paths again, and reports which were replaced. */
    verify: (reals: readonly string[]): Promise<void> =>
      inTurn(() => shown.verify(shown.pathsWhere((real) => reals.includes(real)))),

    /** Opens all shown folders again that may have been replaced. */
    verifyAll: (): Promise<void> => inTurn(shown.verifyAll),

    /** Ends its watches. */
    close: shown.close,
  }
}

/** One client that receives events. */
export type Connection = ReturnType<typeof createConnection>

/** Runs one task after the other. */
function createSerial() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}
