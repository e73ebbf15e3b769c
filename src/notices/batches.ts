import { basename, dirname } from 'node:path/posix'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { randomId } from '#src/core/secret.ts'
import { childOf, commonFolder } from '#src/files/paths/user-path.ts'
import type { LinkEvent } from '#src/shares/use/link-events.ts'
import type { ShareRecord } from '#src/state/state.ts'
import { batchStatement, readBatches } from './batch-rows.ts'

export type ReceivedEvent = Extract<LinkEvent, { kind: 'received' }>

/** Files that were received in one visit. Times are milliseconds since 1970. */
export interface Batch {
  /** The visit and the sender whose files it collects. */
  key: string
  id: string
  /** The share, as it was when the last file came. */
  share: ShareRecord
  sender: string
  first: number
  last: number
  count: number
  bytes: number
  /** The names of the first files. */
  names: string[]
  /** The folder that contains all files. */
  folder: string
}

interface BatchesOptions {
  database: Pick<Database, 'read' | 'writeLater'>
  clock: Clock
  log: Logger
  /** Tells the owner of a complete batch, and removes its row in the same transaction. */
  complete(batch: Batch): Promise<void>
}

/** A batch is complete when no further file came for this time. */
const quietMs = 60_000
/** A batch ends after this time, even if files still come. */
const longestMs = 10 * 60_000
/** Batches that may wait. One more ends the oldest one. */
const mostWaiting = 1000
const mostNames = 5
/** A batch that grows is stored at most once in this time: a kill loses the files of this time from the count. */
const storedEveryMs = 1000

/** Collects received files, so that the owner of a share gets one notice for all files of a visit. */
export function createBatches({ database, clock, log, complete }: BatchesOptions) {
  const waiting = new Map<string, Batch>()
  const storedAt = new Map<string, number>()
  const completing = new Set<Promise<void>>()

  function store({ share, ...batch }: Batch): void {
    storedAt.set(batch.id, clock())
    // The hash of a password belongs to the state, and to nothing else.
    const data = JSON.stringify({ ...batch, share: { ...share, password: '' } })
    database.writeLater([batchStatement(batch.id, data)]).catch((err: unknown) => {
      log.error({ err }, 'a notice about received files could not be stored')
    })
  }

  /** Ends a batch. After a failure it waits again, and a later attempt continues. */
  function end(batch: Batch): Promise<void> {
    waiting.delete(batch.key)
    storedAt.delete(batch.id)
    const done = complete(batch).catch((err: unknown) => {
      log.error({ err }, 'a notice about received files could not be stored')
      if (!waiting.has(batch.key) && waiting.size < mostWaiting) waiting.set(batch.key, batch)
    })
    completing.add(done)
    return done.finally(() => completing.delete(done))
  }

  const endAll = (batches: readonly Batch[]) => Promise.all(batches.map(end)).then(() => {})

  return {
    /** Counts a received file. */
    add(event: ReceivedEvent): void {
      const key = JSON.stringify([event.share.hash, event.visit, event.sender ?? ''])
      const known = waiting.get(key)
      const batch = known ? grown(known, event) : begun(key, event)
      waiting.set(key, batch)
      if (waiting.size > mostWaiting) void end(waiting.values().next().value ?? batch)
      if (clock() - (storedAt.get(batch.id) ?? 0) >= storedEveryMs && waiting.has(key)) store(batch)
    },

    /** Ends the batches that are complete. */
    async endComplete(): Promise<void> {
      const now = clock()
      const isComplete = ({ first, last }: Batch) => now - last >= quietMs || now - first >= longestMs
      const [complete, growing] = [[...waiting.values()].filter(isComplete), [...waiting.values()]]
      await endAll(complete)
      for (const batch of growing)
        if (waiting.get(batch.key) === batch && batch.last > (storedAt.get(batch.id) ?? 0)) store(batch)
    },

    /** Continues with what a killed server has left. */
    async resume(): Promise<void> {
      for (const { id, data } of await readBatches(database)) {
        // Coffer has written it.
        const batch = { ...(JSON.parse(data) as Batch), id }
        waiting.set(batch.key, batch)
        storedAt.set(id, clock())
      }
    },

    /** Ends all batches, so that the server can stop. */
    async close(): Promise<void> {
      await endAll([...waiting.values()])
      await Promise.all(completing)
    },
  }
}

function begun(key: string, { share, sender = '', path, size, time }: ReceivedEvent): Batch {
  const file = { count: 1, bytes: size, names: [basename(path)], folder: dirname(path) }
  return { id: randomId(), key, share, sender, first: time, last: time, ...file }
}

function grown(batch: Batch, { share, path, size, time }: ReceivedEvent): Batch {
  const { count, bytes, names, folder } = batch
  return {
    ...batch,
    share,
    last: Math.max(batch.last, time),
    count: count + 1,
    bytes: bytes + size,
    names: names.length < mostNames ? [...names, basename(path)] : names,
    folder: commonFolder([childOf(folder, basename(path)), path]),
  }
}
