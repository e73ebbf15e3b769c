import type { Clock } from '#src/core/clock.ts'
import { type PartitionedSemaphore, partitioned, partitionedByLink } from './partitioned-semaphore.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { createSemaphore, type Semaphore } from './semaphore.ts'

const mebibyte = 1024 * 1024

/** What people and addresses may take of the server; infinity is no limit. */
export interface QuotaSettings {
  /** Calls a second of an address that nobody is signed in for, and of a user. */
  readonly requestRate: number
  readonly userRate: number
  /** What one of them may have under way at once. */
  readonly uploadsPerUser: number
  readonly archivesPerUser: number
  /** Descriptors for the files of all requests together. */
  readonly openFiles: number
}

/**
 * How many threads do long work of one kind. One person never has all of them, and visitors of links together never more
 * than half of those that list folders.
 */
export const threads = { scan: 3, hash: 2, tree: 4, list: 4 } as const

/** Counts what people and addresses take of the server. */
export function createQuotas(shares: QuotaSettings, clock: Clock) {
  const { uploadsPerUser, archivesPerUser } = shares
  return {
    /** By network. */
    strangers: createRateLimiter(shares.requestRate, clock),
    /** By the user's id. */
    users: createRateLimiter(shares.userRate, clock),
    uploads: createSemaphore('uploads', { each: uploadsPerUser, all: Number.POSITIVE_INFINITY }),
    // Each archive costs threads and some megabytes, whoever asks for it.
    archives: createSemaphore('archives', { each: archivesPerUser, all: archivesPerUser * 4 }),
    // Each keeps a folder open and some megabytes that nobody has taken yet.
    walks: createSemaphore('searches', { each: 32, all: 256 }),
    /** By the user's id, for a thread each. */
    threads: semaphoreOf('searches', threads.scan, 32),
    hashes: semaphoreOf('checksums', threads.hash, 100),
    // What was begun is finished, so that nobody is turned away in the middle. How many can wait is limited by `files`.
    trees: semaphoreOf('transfers', threads.tree, Number.POSITIVE_INFINITY),
    listings: listingSemaphore(),
    // Bytes of files that are answered as text. Each costs six times as many until it is sent: as bytes, as text, as JSON,
    // and on its way. Visitors of links have theirs apart, for there may be any number of them.
    texts: partitioned(
      createSemaphore('texts', { each: 20 * mebibyte, all: 40 * mebibyte, ...textQueue }),
      createSemaphore('texts', { each: 10 * mebibyte, all: 20 * mebibyte, ...textQueue }),
    ),
    // Bytes of listings until they are sent. Nobody waits for room: a listing is there already when its size is known.
    answers: partitioned(
      createSemaphore('listings', { each: 64 * mebibyte, all: 128 * mebibyte, waitingEach: 0 }),
      createSemaphore('listings', { each: 32 * mebibyte, all: 64 * mebibyte, waitingEach: 0 }),
    ),
    files: fileSemaphore(shares.openFiles),
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

/** Descriptors: three quarters for users, a quarter for visitors, and nobody has more than two thirds of either. */
function fileSemaphore(all: number): PartitionedSemaphore {
  const users = Math.floor((all * 3) / 4)
  const visitors = all - users
  const each = (share: number) => Math.ceil((share * 2) / 3)
  // Whoever waits holds nothing but a connection, and of those there is a limit.
  const queue = { waitingEach: 10_000, maxWaitMs: 10_000 }
  return partitioned(
    createSemaphore('files', { each: each(users), all: users, ...queue }),
    createSemaphore('files', { each: each(visitors), all: visitors, ...queue }),
  )
}

const textQueue = { waitingEach: 100, maxWaitMs: 10_000 }

export type Quotas = ReturnType<typeof createQuotas>
