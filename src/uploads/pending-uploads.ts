import { type Clock, isFuture } from '#src/core/clock.ts'
import { setBounded } from '#src/core/memory/bounded-map.ts'
import type { Records } from '#src/core/storage/records.ts'
import { isWithin, type UserPath } from '#src/files/paths/user-path.ts'
import { removeEmpty, removeTempFile } from '#src/files/writing/temp-file.ts'

/** The conditions of a writing request on the existing file: the header values of RFC 9110 §13.1, unparsed. */
export type Conditions = Readonly<
  Partial<Record<'if-match' | 'if-none-match' | 'if-unmodified-since', string>>
>

/** An upload in pieces that is not complete. It survives a restart. */
export interface UploadRecord {
  id: string
  /** The user who started it. Other users cannot continue it. */
  userId: number
  /** The share through which a visitor sends it. Undefined: the user sends it. */
  share?: string | undefined
  /** The session or the visit that started it. Without the id, only this session can continue it. Older records lack it: any. */
  session?: string
  /** The sessions whose earlier uploads to this path it replaced. Their clients may still send, and know no id. */
  replaced?: readonly string[] | undefined
  /** The target path, relative to the scope. */
  path: string
  /** Real path of the folder with the temporary file, and the file's name. */
  folder: string
  part: string
  /** Number of folders at the end of `folder` that were made for it. They are removed with it if they are empty. */
  made?: number | undefined
  /** The announced length, and the number of bytes on disk. */
  length: number
  offset: number
  override: boolean
  conditions: Conditions
  /** The modification time that the file gets, in milliseconds since 1970. Undefined: the time of the upload. */
  mtime?: number | undefined
  /** The time of the last request for it, in milliseconds since 1970. */
  used: number
}

/** An upload that is complete. */
interface FinishedRecord extends UploadRecord {
  /** Its client received an error although the file exists. */
  isUnheard?: boolean
  /** The path of the file. Undefined: it is held. */
  named?: UserPath | undefined
}

/** Whether a value read from disk is an unfinished upload. */
export function isUpload(value: unknown): value is UploadRecord {
  const upload = value as Partial<UploadRecord> | null
  const numbers = [upload?.userId, upload?.length, upload?.offset, upload?.used]
  const texts = [upload?.id, upload?.path, upload?.folder, upload?.part]
  return (
    numbers.every(Number.isFinite) &&
    texts.every((text) => typeof text === 'string') &&
    (upload?.mtime === undefined || Number.isFinite(upload.mtime)) &&
    (upload?.made === undefined || Number.isFinite(upload.made)) &&
    (upload?.share === undefined || typeof upload.share === 'string') &&
    (upload?.session === undefined || typeof upload.session === 'string') &&
    (upload?.replaced === undefined || Array.isArray(upload.replaced)) &&
    typeof upload?.override === 'boolean' &&
    typeof upload.conditions === 'object'
  )
}

/** How long an idle upload is stored. */
const idleMs = 24 * 60 * 60_000
/** How long an upload is protected from others to the same path after its last byte. */
const aliveMs = 60_000
/** How long the client of an upload may still send after its last byte. Clients without ids give up sooner. */
const giveUpMs = 10 * 60_000
/** Maximum number of sessions that an upload remembers, so that its record stays small. */
const maxSenders = 50
/** Number of finished uploads that are remembered, for clients that did not receive the last response. */
const maxFinished = 1000

/** How long a finished upload can be found without its id. */
const findWithoutIdMs = 60_000

/** Whose uploads: those of a user, or those of one visit of a share. */
export interface UploadOwner {
  userId: number
  share?: string | undefined
  /** The session, or the visit. */
  session?: string | undefined
}

/** Which upload a request means. */
export interface UploadKey extends UploadOwner {
  path: string
  session: string
  /** Undefined: the client knows no ids, as the pages of File Browser. */
  id: string | undefined
}

/** Whether an upload belongs to a user, or to one visit of a share. */
function isOwnedBy(upload: UploadRecord, { userId, share, session }: UploadOwner): boolean {
  const isOfVisit = share === undefined || upload.session === session
  return upload.userId === userId && upload.share === share && isOfVisit
}

/** Whether a request belongs to the sender of the upload: it has its id, or it has no id and comes from its session. */
function isOfSender({ id, session }: UploadRecord, key: Pick<UploadKey, 'id' | 'session'>): boolean {
  return key.id === undefined ? session === undefined || session === key.session : key.id === id
}

/**
 * Whether a request without an id may come from the sender of an earlier upload that this one has replaced. Such a request
 * must not add bytes unless it continues exactly where this upload stands, and must not learn where that is, unless nothing
 * has arrived yet.
 */
export function isAmbiguous({ replaced }: UploadRecord, key: Pick<UploadKey, 'id' | 'session'>): boolean {
  return key.id === undefined && replaced?.includes(key.session) === true
}

/** Manages the records of unfinished and recently finished uploads. */
export function createPendingUploads(records: Records<UploadRecord>, clock: Clock) {
  const finished = new Map<string, FinishedRecord>()
  /** The time of the last byte of each running piece. */
  const lastBytes = new Map<string, number>()
  const at = (owner: UploadOwner, path: string) =>
    records.all().find((upload) => upload.path === path && isOwnedBy(upload, owner))

  /** Whether no bytes have arrived within this time. */
  function isQuietFor({ id, used }: UploadRecord, timeMs: number): boolean {
    const quietMs = clock() - Math.max(used, lastBytes.get(id) ?? 0)
    return quietMs < 0 || quietMs >= timeMs // the clock was ahead
  }

  /** Discards an upload: the record at once, the temporary file when the promise settles. */
  async function discard({ id, folder, part }: UploadRecord): Promise<void> {
    const removal = records.remove(id)
    await removeTempFile(folder, part).catch(() => {}) // without the disk, only a hidden file is left
    await removal
  }

  /** Discards an upload that nothing replaces, with the folders that were made for it. */
  const abandon = (upload: UploadRecord) =>
    discard(upload).then(() => removeEmpty(upload.folder, upload.made ?? 0))

  return {
    discard,
    abandon,

    /** The upload to `path` of this user or visit; undefined if there is none. */
    at,

    /** The upload that a request means; undefined if there is none. */
    find: ({ path, ...key }: UploadKey): UploadRecord | undefined =>
      [at(key, path)].find((upload) => upload && isOfSender(upload, key)),

    /** Whether the upload has received bytes, or was started, within the last minute. */
    isAlive: (upload: UploadRecord) => !isQuietFor(upload, aliveMs),

    /** The sessions that may still send pieces of an upload that is replaced. */
    sendersOf(upload: UploadRecord): string[] {
      const { session, replaced = [] } = upload
      if (session === undefined || isQuietFor(upload, giveUpMs)) return []
      return [...new Set([...replaced, session])].slice(-maxSenders)
    },

    /** Records that bytes of a running piece have arrived. They are not flushed yet. */
    noteBytes: ({ id }: UploadRecord) => void lastBytes.set(id, clock()),

    /** Records that a piece has ended. */
    endPiece: ({ id }: UploadRecord) => void lastBytes.delete(id),

    /** The unfinished uploads of this user, or of all visitors of this share. */
    of: ({ userId, share }: UploadOwner) =>
      records.all().filter((one) => one.userId === userId && one.share === share),

    add: (upload: UploadRecord) => records.put(upload),

    /** Records that all bytes up to `offset` are on disk. */
    async saveOffset({ id }: UploadRecord, offset: number): Promise<void> {
      const upload = records.get(id)
      if (upload) await records.put({ ...upload, offset, used: clock() })
    },

    /** Records that the file is complete, and the path that it has got. Undefined: it is held. */
    async finish(upload: UploadRecord, named?: UserPath): Promise<void> {
      setBounded(finished, upload.id, { ...upload, offset: upload.length, used: clock(), named }, maxFinished)
      await records.remove(upload.id)
    },

    /** Records that the client received an error although the file exists. */
    markUnconfirmed({ id }: UploadRecord): void {
      const upload = finished.get(id)
      if (upload) upload.isUnheard = true
    },

    /**
     * Finds a recently finished upload of a user to `path`. Without an id, finds only an upload of the last minute
     * whose client received an error.
     */
    finished({ path, ...key }: UploadKey): FinishedRecord | undefined {
      const isRecent = ({ isUnheard, used }: FinishedRecord) =>
        key.id !== undefined || (isUnheard && clock() - used < findWithoutIdMs)
      const matches = (upload: UploadRecord) =>
        isOfSender(upload, key) && !isAmbiguous(upload, key) && isRecent(upload)
      return [...finished.values()].findLast(
        (upload) => isOwnedBy(upload, key) && upload.path === path && matches(upload),
      )
    },

    /** Removes uploads that were idle for a day, and those of deleted users and ended shares. */
    async sweep(
      isWanted: (upload: UploadRecord) => Promise<boolean>,
      isBusy: (id: string) => boolean,
    ): Promise<void> {
      for (const upload of records.all()) {
        // The clock was ahead at the last request, so the day starts now.
        if (isFuture(upload.used, clock())) await records.put({ ...upload, used: clock() })
        const isOver = clock() - upload.used >= idleMs || !(await isWanted(upload))
        if (isOver && !isBusy(upload.id)) await abandon(upload)
      }
    },

    /** Updates the records after a folder was renamed, since its temporary files moved along. Real paths. */
    async moved(from: string, to: string): Promise<void> {
      for (const upload of records.all().filter(({ folder }) => isWithin(folder, from))) {
        await records.put({ ...upload, folder: to + upload.folder.slice(from.length) })
      }
    },

    /** Removes the records in deleted entries. Real paths. */
    async removed(deleted: readonly string[]): Promise<void> {
      const isGone = ({ folder }: UploadRecord) => deleted.some((each) => isWithin(folder, each))
      for (const upload of records.all().filter(isGone)) await records.remove(upload.id)
    },
  }
}

export type PendingUploads = ReturnType<typeof createPendingUploads>
