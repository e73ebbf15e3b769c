import type { Records } from '#src/core/storage/records.ts'

/** A session: one device where a user is signed in. Times are milliseconds since 1970. */
export interface SessionRecord {
  readonly id: string
  readonly userId: number
  readonly created: number
  readonly lastUse: number
  readonly device: string
  readonly address: string
  /** When the user last proved the password; 0: never. Records of older versions lack it: then `created` counts. */
  readonly proven?: number
  /**
   * Whether the client has sent `X-Encoding`, as File Browser's page does since 2.58. Such clients read search results
   * line by line (contract/README.md#search).
   */
  readonly sendsEncoding?: boolean
}

/** Whether a value read from disk is a valid session record. */
export function isSession(value: unknown): value is SessionRecord {
  const session = value as Partial<SessionRecord> | null
  const { userId, created, lastUse, proven = 0 } = session ?? {}
  const numbers = [userId, created, lastUse, proven]
  const texts = [session?.id, session?.device, session?.address]
  return numbers.every(Number.isFinite) && texts.every((text) => typeof text === 'string')
}

/** What requests change in a session. */
type NotedFields = Partial<Pick<SessionRecord, 'lastUse' | 'proven' | 'sendsEncoding'>>

/**
 * The sessions, asked by key, as `Store`. They are not in its document, because they change with each request.
 *
 * @param records the files of the sessions
 */
export function createSessionStore(records: Records<SessionRecord>) {
  const { accepts, put, keep, remove } = records
  /** Notes in memory what a request has changed. It is on the disk after `keep`. */
  const note: (id: string, fields: NotedFields) => void = records.note
  return {
    /** Undefined: there is none, or it has ended. */
    byId: async (id: string): Promise<SessionRecord | undefined> => records.get(id),
    /** The sessions of a user. */
    ofUser: async (userId: number): Promise<readonly SessionRecord[]> =>
      records.all().filter((session) => session.userId === userId),
    list: async (): Promise<readonly SessionRecord[]> => records.all(),
    /** What this process knows now, as `Current` of the store. */
    current: records.get,
    note,
    accepts,
    put,
    keep,
    remove,
  }
}

export type SessionStore = ReturnType<typeof createSessionStore>
