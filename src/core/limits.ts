import type { Clock } from './clock.ts'
import { createPlaces } from './places.ts'
import { createRate } from './rate.ts'
import { createTurns, type Turns } from './turns.ts'

const mebibyte = 1024 * 1024

/** What people and addresses may take of the server; infinity is no limit. */
export interface Shares {
  /** Calls a second of an address that nobody is signed in for, and of a user. */
  readonly requestRate: number
  readonly userRate: number
  /** What one of them may have under way at once. */
  readonly uploadsPerUser: number
  readonly archivesPerUser: number
}

/** How many threads do long work of one kind. Nobody has all of them: one is always there for the others. */
export const threads = { scan: 3, hash: 2, tree: 4 } as const

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
    // What was begun is finished, so that nobody is turned away in the middle.
    trees: turnsOn('transfers', threads.tree, Number.POSITIVE_INFINITY),
    // Bytes of files that are answered as text. Each costs six times as many until it is sent: as bytes, as text, as JSON,
    // and on its way. Visitors of links have theirs apart, for there may be any number of them.
    texts: {
      users: createTurns('texts', { each: 20 * mebibyte, all: 40 * mebibyte, ...textQueue }),
      visitors: createTurns('texts', { each: 10 * mebibyte, all: 20 * mebibyte, ...textQueue }),
    },
  }
}

function turnsOn(what: string, all: number, waiting: number): Turns {
  return createTurns(what, { each: all - 1, all, waiting })
}

const textQueue = { waiting: 100, patienceMs: 10_000 }

export type Limits = ReturnType<typeof createLimits>
