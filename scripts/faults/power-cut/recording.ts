// A record of a server, and the paths that its requests change.

/** What a path holds: the bytes of a file, a folder, or nothing. */
export type Value = Buffer | 'folder' | 'absent'

/** A request, and what it changes. */
export interface Exchange {
  what: string
  /** The value of each path after the request. Paths are relative to the served folder and start with `/`. */
  changes: Readonly<Record<string, Value>>
  /** How many answers the client had when it sent the request. */
  answersBefore: number
  /** The header `x-request-id` of the answer, which the record shows. */
  id: string
}

/** A record, and what is known about it. */
export interface Recording {
  /** The output of strace. */
  record: string
  /** The path of the folder with everything that the server writes. */
  top: string
  /** The folders in it from before the start, relative, parents first. */
  folders: readonly string[]
  /** The served folder, relative. */
  root: string
  /** The requests. Those that change the same path are in their order. */
  exchanges: readonly Exchange[]
}

/** The values of one path. Requests may change it once they may have been sent. */
export interface Tracked {
  path: string
  values: { value: Value; exchange: Exchange | undefined }[]
  answered: number
  /** Whether the next change is in the log of the database, flushed. */
  isPlanned: boolean
}

/** Collects the values of each path that the requests change. */
export function trackedOf(exchanges: readonly Exchange[]): Tracked[] {
  const tracked = new Map<string, Tracked>()
  for (const exchange of exchanges) {
    for (const [path, value] of Object.entries(exchange.changes)) {
      const known = tracked.get(path) ?? {
        path,
        values: [{ value: 'absent', exchange: undefined }],
        answered: 0,
        isPlanned: false,
      }
      known.values.push({ value, exchange })
      tracked.set(path, known)
    }
  }
  return [...tracked.values()]
}
