import type { Clock } from '#src/core/clock.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createRateLimiter } from './rate-limiter.ts'
import {
  createSemaphore,
  type PartitionedSemaphore,
  partitioned,
  partitionedByLink,
  type Semaphore,
} from './semaphore.ts'

const mebibyte = 1024 * 1024

/** The limits of users and networks. Infinity means no limit. */
export interface QuotaSettings {
  /** Requests per second of a network without a signed-in user, and of a user. */
  readonly requestRate: number
  readonly userRate: number
  /** Concurrent uploads and archives of one user or network. */
  readonly uploadsPerUser: number
  readonly archivesPerUser: number
  /** Descriptors for the files of all requests together. */
  readonly openFiles: number
}

/** Creates the quotas of users and networks. */
export function createQuotas(settings: QuotaSettings, clock: Clock) {
  const { uploadsPerUser, archivesPerUser } = settings
  return {
    /** By network, for requests without a signed-in user. */
    anonymous: createRateLimiter(settings.requestRate, clock),
    /** By the id of the user. */
    users: createRateLimiter(settings.userRate, clock),
    uploads: createSemaphore('uploads', { each: uploadsPerUser, all: Number.POSITIVE_INFINITY }),
    // Small files of forms that are written at the same time. Without this limit, a user with many forms would fill the
    // queue of the disk and the event loop, and others would wait for all of them.
    formFiles: createSemaphore('files of forms', { each: 16, all: 64, waitingEach: 10_000 }),
    // Each archive costs threads and some megabytes.
    archives: createSemaphore('archives', { each: archivesPerUser, all: archivesPerUser * 4 }),
    // Each search keeps a folder open, and some megabytes that the client has not read yet.
    walks: createSemaphore('searches', { each: 32, all: 256 }),
    /** By the id of the user; each permit is for one thread. */
    threads: semaphoreOf('searches', threads.scan, 32),
    hashes: semaphoreOf('checksums', threads.hash, 100),
    // A transfer that has started always finishes, so that none is refused halfway. `files` limits how many can wait.
    trees: semaphoreOf('transfers', threads.tree, Number.POSITIVE_INFINITY),
    // Scans of the history, by user. Their slices take turns on one thread, so that a user cannot delay others for long.
    scans: createSemaphore('lists', {
      each: 1,
      all: Number.POSITIVE_INFINITY,
      waitingEach: 32,
      waitingAll: 1000,
      maxWaitMs: 60_000,
    }),
    listings: listingSemaphore(),
    // Bytes of files that are sent as text. Each byte costs six bytes of memory until it is sent: as bytes, as text, as
    // JSON and in the socket. Visitors of shares have a limit of their own, because there may be any number of them.
    textBytes: partitioned(
      createSemaphore('text files', { each: 20 * mebibyte, all: 40 * mebibyte, ...textQueue }),
      createSemaphore('text files', { each: 10 * mebibyte, all: 20 * mebibyte, ...textQueue }),
    ),
    // Bytes of listings until they are sent. There is no queue, because a listing exists already when its size is
    // known.
    listingBytes: partitioned(
      createSemaphore('listings', { each: 64 * mebibyte, all: 128 * mebibyte, waitingEach: 0 }),
      createSemaphore('listings', { each: 32 * mebibyte, all: 64 * mebibyte, waitingEach: 0 }),
    ),
    // Each needs up to 2 MiB, and a thread of Node's pool while it works. Answers beyond the limit are not compressed.
    compressedAnswers: createSemaphore('compressed answers', { each: 4, all: 16 }),
    files: fileSemaphore(settings.openFiles),
  }
}

function semaphoreOf(what: string, all: number, waiting: number): Semaphore {
  return createSemaphore(what, { each: all - 1, all, waitingEach: waiting })
}

function listingSemaphore(): PartitionedSemaphore {
  const { list: all } = threads
  return partitionedByLink(
    createSemaphore('listings', { each: all / 2, all, waitingEach: 1000, maxWaitMs: 60_000 }),
    {
      networks: createSemaphore('listings', {
        each: 1,
        all: Number.POSITIVE_INFINITY,
        waitingEach: 100,
        maxWaitMs: 60_000,
      }),
      links: createSemaphore('listings', { each: 1, all: all / 2, waitingEach: 100, maxWaitMs: 60_000 }),
    },
  )
}

/** Descriptors: three quarters for users, one quarter for visitors. No owner has more than two thirds of either. */
function fileSemaphore(all: number): PartitionedSemaphore {
  const users = Math.floor((all * 3) / 4)
  const visitors = all - users
  const each = (share: number) => Math.ceil((share * 2) / 3)
  // A waiting request holds only a connection, and connections are limited.
  const queue = { waitingEach: 10_000, maxWaitMs: 10_000 }
  return partitioned(
    createSemaphore('file operations', { each: each(users), all: users, ...queue }),
    createSemaphore('file operations', { each: each(visitors), all: visitors, ...queue }),
  )
}

const textQueue = { waitingEach: 100, maxWaitMs: 10_000 }

export type Quotas = ReturnType<typeof createQuotas>
