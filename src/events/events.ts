import { basename, dirname } from 'node:path'
import type { ShownFolder } from '#contract/history/events.ts'
import type { Actor } from '#src/access/principal.ts'
import { createSemaphore, type PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { Logger } from '#src/core/log/log.ts'
import { networkOf } from '#src/core/network.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { hasReserved, normalizePath } from '#src/files/paths/user-path.ts'
import {
  createFolderWatches,
  type WatchLimits,
  type WatchReport,
} from '#src/files/watching/folder-watches.ts'
import { createPendingChanges } from './changes.ts'
import { type Connection, createConnection } from './connection.ts'
import type { EventStream } from './event-stream.ts'
import { createTimers } from './timers.ts'

interface EventsOptions {
  /** Maximum number of connections of the server. Events have at most a quarter of them. */
  connections: number
  watches?: WatchLimits
  /** Descriptors for files of users. */
  files: PartitionedSemaphore
  log: Logger
  /** Milliseconds that changes are collected before they are sent. */
  mergeMs?: number
}

// Browsers share one connection for all their tabs. A user has several browsers, and programs.
const connectionsPerUser = 32
// Delivering takes at most about a fifth of the processor's time.
const restFactor = 4
const longestRestMs = 1000

// A watch needs memory of the system, but no descriptor.
const watchLimits: WatchLimits = { each: 128, all: 2048 }

/**
 * Sends changes of files to the clients that may see them: those that Coffer makes, everywhere in the scope of the
 * client; and those of other programs, in the folders that a client shows.
 */
export function createEvents({ connections: allConnections, files, log, ...rest }: EventsOptions) {
  const { mergeMs = 100, watches: limits = watchLimits } = rest
  const connections = new Map<string, Connection>()
  const pending = createPendingChanges()
  const watches = createFolderWatches({ limits, log, onActivity: flushSoon })
  const timers = createTimers(connections, verifyAll)
  let flushTimer: NodeJS.Timeout | undefined
  let restMs = 0

  function flushSoon(): void {
    flushTimer ??= setTimeout(() => void flush(), Math.max(mergeMs, restMs)).unref()
  }

  async function flush(): Promise<void> {
    // First: events from here on need another flush, also those during the next line.
    clearTimeout(flushTimer)
    flushTimer = undefined
    distribute(await watches.collect())
  }

  function distribute({ changed, ended }: WatchReport): void {
    for (const [folder, names] of changed) pending.addNames(folder, names)
    const batch = pending.take()
    const start = performance.now()
    for (const connection of connections.values()) {
      if (batch) connection.deliver(batch)
      if (ended.length > 0) void connection.verify(ended)
    }
    restMs = Math.min((performance.now() - start) * restFactor, longestRestMs)
  }

  async function verifyAll(): Promise<void> {
    distribute(await watches.check())
    for (const connection of connections.values()) await connection.verifyAll()
  }

  function changed(real: string): void {
    if (connections.size === 0 || hasReserved(real)) return
    pending.add(dirname(real), basename(real))
    flushSoon()
  }

  return {
    /** Reports that Coffer has changed the entry with this real path: created, replaced, moved or deleted it. */
    changed,

    /** Like `changed`, for several entries. */
    onChanged: (reals: readonly string[]): void => reals.forEach(changed),

    /** Reports that entries were moved to the trash or have left it, with the real paths where they were. */
    onTrash(reals: readonly string[]): void {
      if (connections.size === 0) return
      for (const real of reals) pending.addTrash(real)
      flushSoon()
    },

    /** Tells the pages of a user how many notices are unread. */
    sendUnread: (user: number, unread: number): void => sendUnread(connections.values(), user, unread),

    /** Counts a connection. @throws Problem `user.busy`, `server.busy`. */
    admit: createPermits(allConnections).acquire,

    /** Sends events from now on. Returns a function that must be called when the connection has closed. */
    connect(actor: Actor, stream: EventStream): () => void {
      const connection = createConnection({ id: randomId(), actor, stream, watches })
      connections.set(connection.id, connection)
      timers.update()
      stream.send('hello', { id: connection.id })
      return () => {
        connections.delete(connection.id)
        connection.close()
        timers.update()
      }
    },

    /**
     * Sets the folders that a connection shows, as paths inside the scope. Describes each.
     *
     * @throws Problem `request.unknown` when this session has no such connection, `path.invalid`, `user.busy`.
     */
    async show(
      actor: Actor,
      { id, folders, signal }: { id: string; folders: readonly string[]; signal: () => AbortSignal },
    ): Promise<ShownFolder[]> {
      const connection = connections.get(id)
      if (connection?.actor.session.id !== actor.session.id) throw new Problem('request.unknown')
      const paths = folders.map((folder) => normalizePath(folder).path)
      using _permit = await files.acquire(actor.quotaOwner, { recheck: () => actor.check([]), signal })
      return connection.show(paths)
    },

    /** Number of connections and of watched folders. */
    usage: () => ({ connections: connections.size, watches: watches.size }),

    /** Sends now what would be sent soon. */
    flush,

    /** Ends all connections, so that the server can stop. */
    close(): void {
      clearTimeout(flushTimer)
      for (const { stream } of connections.values()) stream.end()
      watches.close()
    },
  }
}

function sendUnread(connections: Iterable<Connection>, user: number, unread: number): void {
  for (const { actor, stream } of connections)
    if (actor.user.id === user && actor.hasAccess([])) stream.send('notice', { unread })
}

/** Limits connections by user, by network and in all, so that other requests always find a connection. */
function createPermits(connections: number) {
  const what = 'event connections'
  const unlimited = Number.POSITIVE_INFINITY
  const all = Math.max(8, Math.floor(connections / 4))
  const users = createSemaphore(what, { each: connectionsPerUser, all })
  // Half of what a network may have (`server/sockets/server.ts`).
  const networks = createSemaphore(what, { each: Math.max(8, Math.ceil(connections / 8)), all: unlimited })
  return {
    acquire(actor: Actor, address: string): Disposable {
      const held = new DisposableStack()
      held.use(users.acquireNow(String(actor.user.id)))
      try {
        held.use(networks.acquireNow(networkOf(address)))
      } catch (error) {
        held.dispose()
        throw error
      }
      return held
    },
  }
}
