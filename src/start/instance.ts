import { join } from 'node:path'
import { createAuditReader } from '#src/audit/records.ts'
import { createBackup } from '#src/backup/backup.ts'
import { createBrandingPart } from '#src/backup/parts/branding-part.ts'
import { createHistoryPart } from '#src/backup/parts/history-part.ts'
import type { Part } from '#src/backup/parts/part.ts'
import { createSessionsPart } from '#src/backup/parts/sessions-part.ts'
import { createSitePart } from '#src/backup/parts/site-part.ts'
import { createBrandingFiles } from '#src/branding/branding-files.ts'
import type { Config } from '#src/config/config.ts'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { type Database, openDatabase } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { isDiskFull, StartupProblem } from '#src/core/problem.ts'
import { lockProcess } from '#src/core/storage/process-lock.ts'
import { openRecords } from '#src/core/storage/records.ts'
import { removeSpareFile } from '#src/core/storage/spare-file.ts'
import { openTempFileJournal, type TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { isHeldFile } from '#src/held/held-record.ts'
import { createShareBinding } from '#src/shares/following/rebind-shares.ts'
import { openSiteRecords } from '#src/site/website/site-records.ts'
import { openDocument, stateFile } from '#src/state/document.ts'
import { createSessionStore, isSession } from '#src/state/sessions.ts'
import { nameOfRecord, type SetAside } from '#src/state/set-aside.ts'
import type { State } from '#src/state/state.ts'
import { createStore, type Store } from '#src/state/store.ts'
import { createTimekeeper, isTimeRecord } from '#src/state/timekeeper.ts'
import { isUpload } from '#src/uploads/pending-uploads.ts'
import type { StateFolder } from './state-folder.ts'

/** What opening an instance needs. */
interface OpenOptions {
  stateFolder: StateFolder
  log: Logger
  /** Closes what has been opened. */
  opened: AsyncDisposableStack
}

/**
 * Locks the state for this process, until `opened` is disposed.
 *
 * @throws StartupProblem when another process holds the lock.
 */
export async function lockState({
  stateFolder,
  opened,
}: Pick<OpenOptions, 'stateFolder' | 'opened'>): Promise<void> {
  try {
    const lock = await lockProcess(stateFolder.folder).catch(async (error: unknown) => {
      // The socket needs an inode. Without a running server, users could not free one on a full disk.
      if (!isDiskFull(error) || !(await removeSpareFile(stateFolder.file))) throw error
      return lockProcess(stateFolder.folder)
    })
    opened.defer(lock.close)
  } catch (error) {
    // Another process may use the folder now, so that this one must not remove it.
    if (!(error instanceof StartupProblem)) await stateFolder.removeEmptyCreated()
    throw error
  }
}

/**
 * Opens the state, its sessions and its clock. The caller holds the lock.
 *
 * @param createState returns the first state, when there is none
 * @throws StartupProblem when the state is damaged or cannot be written.
 */
export async function openAccounts(
  { stateFolder, log, opened }: OpenOptions,
  createState: () => Promise<State>,
) {
  const { file, folder } = stateFolder
  const document = await openDocument(stateFile(file, logSetAside(log, file)), createState)
  const sessionRecords = createSessionStore(await openRecords(join(folder, 'sessions'), isSession))
  const timeRecords = await openRecords(join(folder, 'clock'), isTimeRecord)
  const time = await createTimekeeper({ records: timeRecords, document, sessions: sessionRecords, log })
  opened.defer(() => time.close())
  const store = createStore(document)
  return { store, document, sessionRecords, clock: time.now, offMs: time.offMs }
}

/**
 * Opens the history of changes. Its thread needs some time to start, so that a server begins with it before it opens the
 * rest. The caller holds the lock, and awaits `opened`.
 */
export function openHistory({ stateFolder, log, opened }: OpenOptions): Database {
  const database = openDatabase(join(stateFolder.folder, 'history.db'), { log })
  // Also handles its failure when the start has failed before it is awaited.
  database.opened.catch(() => {})
  opened.defer(() => database.close())
  return database
}

/**
 * Opens the records of work on users' files, and finishes or removes what a killed process has left.
 *
 * @param history from `openHistory`
 * @param accounts from `openAccounts`
 */
export async function openWork(
  config: Pick<Config, 'root'>,
  {
    stateFolder,
    log,
    opened,
    history: database = openHistory({ stateFolder, log, opened }),
  }: OpenOptions & { history?: Database },
  accounts: Awaited<ReturnType<typeof openAccounts>>,
) {
  const { folder, secret } = stateFolder
  // Before the journal removes temporary folders: one of them may be the only copy of the website.
  const siteRecords = await openSiteRecords(join(folder, 'site'))
  const tempFiles = await openTempFileJournal(join(folder, 'parts'))
  opened.defer(() => tempFiles.close())
  const uploadRecords = await openRecords(join(folder, 'uploads'), isUpload)
  const heldRecords = await openRecords(join(folder, 'held'), isHeldFile)
  const records = { siteRecords, tempFiles, uploadRecords, heldRecords }
  const backup = createBackup({
    document: accounts.document,
    binding: createShareBinding({ served: config.root, secret }),
    parts: createParts({ ...accounts, ...records, secret, database }),
    stateFolder: folder,
    log,
  })
  opened.defer(() => backup.close())
  await backup.finishInterrupted()
  return { ...records, database, backup }
}

/** Creates the parts of a backup besides the state. A later part is one more row. */
export function createParts({
  tempFiles,
  secret,
  database,
  ...sources
}: PartSources): Readonly<Record<string, Part>> {
  const branding = createBrandingFiles({ secret, parts: tempFiles, locks: createKeyedLock() })
  return {
    sessions: createSessionsPart(sources),
    site: createSitePart(sources),
    branding: createBrandingPart({ ...sources, branding }),
    history: createHistoryPart(database, createAuditReader(database)),
  }
}

type PartSources = Parameters<typeof createSessionsPart>[0] &
  Parameters<typeof createSitePart>[0] & {
    store: Store
    tempFiles: TempFileJournal
    database: Database
    secret: readonly string[]
  }

function logSetAside(log: Logger, file: string): (record: SetAside) => void {
  return (record) => {
    // Names are fields, because a bug report keeps the message: it does not know the names of removed users.
    const fields = { record: nameOfRecord(record), file: `${file}.aside`, fault: record.fault }
    log.error(fields, 'the server moved a damaged record out of the state')
  }
}
