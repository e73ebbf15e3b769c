import type { Clock } from '#src/core/clock.ts'
import { apart, byLink, type PaidTurns } from './payers.ts'
import { createPlaces } from './places.ts'
import { createRate } from './rate-limiter.ts'
import { createTurns, type Turns } from './semaphore.ts'

const mebibyte = 1024 * 1024

/** What people and addresses may take of the server; infinity is no limit. */
export interface Shares {
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
export function createLimits(shares: Shares, clock: Clock) {
  const { uploadsPerUser, archivesPerUser } = shares
  return {
    /** By network. */
    strangers: createRate(shares.requestRate, clock),
    /** By the user's id. */
    users: createRate(shares.userRate, clock),
    uploads: createPlaces('uploads', { each: uploadsPerUser, all: Number.POSITIVE_INFINITY }),
    // Each archive costs threads and some megabytes, whoever asks for it.
    archives: createPlaces('archives', { each: archivesPerUser, all: archivesPerUser * 4 }),
    // Each keeps a folder open and some megabytes that nobody has taken yet.
    walks: createPlaces('searches', { each: 32, all: 256 }),
    /** By the user's id, for a thread each. */
    threads: turnsOn('searches', threads.scan, 32),
    hashes: turnsOn('checksums', threads.hash, 100),
    // What was begun is finished, so that nobody is turned away in the middle. How many can wait is limited by `files`.
    trees: turnsOn('transfers', threads.tree, Number.POSITIVE_INFINITY),
    listings: listingTurns(),
    // Bytes of files that are answered as text. Each costs six times as many until it is sent: as bytes, as text, as JSON,
    // and on its way. Visitors of links have theirs apart, for there may be any number of them.
    texts: apart(
      createTurns('texts', { each: 20 * mebibyte, all: 40 * mebibyte, ...textQueue }),
      createTurns('texts', { each: 10 * mebibyte, all: 20 * mebibyte, ...textQueue }),
    ),
    // Bytes of listings until they are sent. Nobody waits for room: a listing is there already when its size is known.
    answers: apart(
      createTurns('listings', { each: 64 * mebibyte, all: 128 * mebibyte, waiting: 0 }),
      createTurns('listings', { each: 32 * mebibyte, all: 64 * mebibyte, waiting: 0 }),
    ),
    files: fileTurns(shares.openFiles),
  }
}

function turnsOn(what: string, all: number, waiting: number): Turns {
  return createTurns(what, { each: all - 1, all, waiting })
}

function listingTurns(): PaidTurns {
  const { list: all } = threads
  return byLink(createTurns('listings', { each: all / 2, all, waiting: 1000, patienceMs: 60_000 }), {
    networks: createTurns('listings', {
      each: 1,
      all: Number.POSITIVE_INFINITY,
      waiting: 100,
      patienceMs: 60_000,
    }),
    links: createTurns('listings', { each: 1, all: all / 2, waiting: 100, patienceMs: 60_000 }),
  })
}

/** Descriptors: three quarters for users, a quarter for visitors, and nobody has more than two thirds of either. */
function fileTurns(all: number): PaidTurns {
  const users = Math.floor((all * 3) / 4)
  const visitors = all - users
  const each = (share: number) => Math.ceil((share * 2) / 3)
  // Whoever waits holds nothing but a connection, and of those there is a limit.
  const queue = { waiting: 10_000, patienceMs: 10_000 }
  return apart(
    createTurns('files', { each: each(users), all: users, ...queue }),
    createTurns('files', { each: each(visitors), all: visitors, ...queue }),
  )
}

const textQueue = { waiting: 100, patienceMs: 10_000 }

export type Limits = ReturnType<typeof createLimits>
