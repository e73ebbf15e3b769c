import { setBounded } from '#src/core/bounded-map.ts'
import { type Clock, isFuture } from '#src/core/clock.ts'
import type { Records } from '#src/core/state/records.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import { removeTempFile } from '#src/files/writing/temp-file.ts'

/** What a writing request demands of the file that is there: the headers of RFC 9110 §13.1, as they came. */
export type Conditions = Readonly<
  Partial<Record<'if-match' | 'if-none-match' | 'if-unmodified-since', string>>
>

/** An upload in pieces that has not all come yet; a restart does not end it. */
export interface UploadRecord {
  id: string
  /** Who began it, and nobody else goes on with it. */
  userId: number
  /** Where it will be, from the scope. */
  path: string
  /** Real path of the folder with the part, and the part's name in it. */
  folder: string
  part: string
  /** Bytes announced, and bytes that the disk has. */
  length: number
  offset: number
  override: boolean
  conditions: Conditions
  /** When it was last heard of, in milliseconds since 1970. */
  used: number
}

/** Whether a value read from disk is an unfinished upload. */
export function isUpload(value: unknown): value is UploadRecord {
  const upload = value as Partial<UploadRecord> | null
  const numbers = [upload?.userId, upload?.length, upload?.offset, upload?.used]
  const texts = [upload?.id, upload?.path, upload?.folder, upload?.part]
  return (
    numbers.every(Number.isFinite) &&
    texts.every((text) => typeof text === 'string') &&
    typeof upload?.override === 'boolean' &&
    typeof upload.conditions === 'object'
  )
}

/** How long an upload that nobody goes on with is kept. */
const idleMs = 24 * 60 * 60_000
/** So many finished ones are remembered, for whoever did not hear the last answer. */
const mostFinished = 1000

/** How long one can ask about a finished upload without naming its id. */
const askedWithinMs = 60_000

/** Which finished upload is asked about. */
interface Finished {
  userId: number
  path: string
  id: string | undefined
}

/** Which uploads are unfinished, and their ends. */
export function createPendingUploads(records: Records<UploadRecord>, clock: Clock) {
  const finished = new Map<string, UploadRecord & { isUnheard?: boolean }>()
  const ofUser = (userId: number) => records.all().filter((upload) => upload.userId === userId)

  /** Forgets an upload and removes what came of it: at once for everybody, on the disk when the promise settles. */
  async function discard({ id, folder, part }: UploadRecord): Promise<void> {
    const forgotten = records.remove(id)
    await removeTempFile(folder, part).catch(() => {}) // the disk may be away; a hidden part is all that is left behind
    await forgotten
  }

  return {
    discard,

    /** The upload to `path` that this user began; undefined: there is none. */
    find: (userId: number, path: string) => ofUser(userId).find((upload) => upload.path === path),

    /** How many this user has. */
    count: (userId: number) => ofUser(userId).length,

    add: (upload: UploadRecord) => records.put(upload),

    /** Notes that the disk has everything up to `offset`. */
    async note({ id }: UploadRecord, offset: number): Promise<void> {
      const upload = records.get(id)
      if (upload) await records.put({ ...upload, offset, used: clock() })
    },

    /** Its file is whole and has its name. */
    async finish(upload: UploadRecord): Promise<void> {
      setBounded(finished, upload.id, { ...upload, offset: upload.length, used: clock() }, mostFinished)
      await records.remove(upload.id)
    },

    /** Its sender is told a failure although the file is there. */
    unheard({ id }: UploadRecord): void {
      const upload = finished.get(id)
      if (upload) upload.isUnheard = true
    },

    /**
     * One of the last uploads of a user to `path` that were finished; without an id, one of the last minute whose sender
     * was told a failure.
     */
    finished({ userId, path, id }: Finished): UploadRecord | undefined {
      const isIt = (upload: UploadRecord & { isUnheard?: boolean }) =>
        id === undefined ? upload.isUnheard && clock() - upload.used < askedWithinMs : upload.id === id
      return [...finished.values()].findLast(
        (upload) => upload.userId === userId && upload.path === path && isIt(upload),
      )
    },

    /** Removes what nobody has gone on with for a day, and what belongs to nobody any more. */
    async sweep(isSomebody: (userId: number) => boolean, isBusy: (id: string) => boolean): Promise<void> {
      for (const upload of records.all()) {
        // The clock was ahead when it was last heard of: its day begins now.
        if (isFuture(upload.used, clock())) await records.put({ ...upload, used: clock() })
        const isOver = clock() - upload.used >= idleMs || !isSomebody(upload.userId)
        if (isOver && !isBusy(upload.id)) await discard(upload)
      }
    },

    /** A folder was renamed, with all in it: the parts went along. Real paths. */
    async moved(from: string, to: string): Promise<void> {
      for (const upload of records.all().filter(({ folder }) => isWithin(folder, from))) {
        await records.put({ ...upload, folder: to + upload.folder.slice(from.length) })
      }
    },

    /** Things were deleted, each with all in it. Real paths. */
    async removed(gone: readonly string[]): Promise<void> {
      const isGone = ({ folder }: UploadRecord) => gone.some((each) => isWithin(folder, each))
      for (const upload of records.all().filter(isGone)) await records.remove(upload.id)
    },
  }
}

export type PendingUploads = ReturnType<typeof createPendingUploads>
