import { join } from 'node:path'
import type { Config } from '#src/config/config.ts'
import { isDiskFull, problemOf, StartupProblem } from '#src/core/problem.ts'
import { copyBefore } from '#src/core/storage/backups.ts'
import { lockProcess } from '#src/core/storage/process-lock.ts'
import { openRecords, type Records } from '#src/core/storage/records.ts'
import { removeSpareFile } from '#src/core/storage/spare-file.ts'
import { removeTempFile } from '#src/files/writing/temp-file.ts'
import { openStateFolder, refuseOtherOwner, type StateFolder } from '#src/start/state-folder.ts'
import { readState, stateFile } from '#src/state/document.ts'
import { nameOfRecord } from '#src/state/set-aside.ts'
import type { State } from '#src/state/state.ts'
import type { Plan } from './plan.ts'

/** How a new state is made and written. */
export interface Replacement {
  /** Returns the new state. `secret`: real paths that are never accessible through Coffer. */
  planFor: (existing: State | undefined, secret: readonly string[]) => Promise<Plan>
  /** Milliseconds since 1970. */
  now: number
}

/** What was written. */
export interface Replaced {
  plan: Plan
  /** The copy of the previous state. Undefined: there was none. */
  backup: string | undefined
  /** Names of damaged records that were moved from the previous state to `FILE.aside`. */
  aside: string[]
}

/**
 * Replaces the state by the one that `planFor` returns, while no server runs. Copies the previous state first. When
 * anything fails, the previous state stays.
 *
 * @throws StartupProblem when a server uses the state, when it cannot be written, and what `planFor` throws.
 */
export async function replaceState(config: Config, { planFor, now }: Replacement): Promise<Replaced> {
  const stateFolder = await openStateFolder(config)
  const lock = await lockState(stateFolder)
  // A state that cannot be read is not a new one, and must not be removed.
  let isNew = false
  try {
    const existing = await readState(stateFolder.file)
    isNew = existing === undefined
    if (!isNew) await refuseOtherOwner(stateFolder.file)
    const plan = await planFor(existing, stateFolder.secret)
    return await write(stateFolder, { plan, isNew, now }).catch(failWrite)
  } catch (error) {
    if (isNew) await stateFolder.removeCreated()
    throw error
  } finally {
    await lock.close()
  }
}

/** @throws StartupProblem when another process holds the lock. */
async function lockState({
  file,
  folder,
  removeEmptyCreated,
}: StateFolder): Promise<{ close(): Promise<void> }> {
  try {
    return await lockProcess(folder).catch(async (error: unknown) => {
      // The socket needs an inode, which the spare file has on a full disk.
      if (!isDiskFull(error) || !(await removeSpareFile(file))) throw error
      return lockProcess(folder)
    })
  } catch (error) {
    if (error instanceof StartupProblem) throw error
    await removeEmptyCreated()
    return failWrite(error)
  }
}

async function write(
  { file, folder }: StateFolder,
  { plan, isNew, now }: { plan: Plan; isNew: boolean; now: number },
): Promise<Replaced> {
  const aside: string[] = []
  const adapter = stateFile(file, (record) => aside.push(nameOfRecord(record)))
  if (isNew) {
    await adapter.write(plan.state)
    return { plan, backup: undefined, aside }
  }
  const backup = await copyBefore(file, 'import', now)
  await adapter.read() // moves damaged records to `FILE.aside`, so that they are not lost
  // Before the write, because after a kill between the two, old schedules would belong to new users.
  const forgotten = plan.replacesUsers ? await forgetUsers(folder) : undefined
  try {
    await adapter.write(plan.state)
  } catch (error) {
    await forgotten?.restore()
    throw error
  }
  await forgotten?.finish()
  return { plan, backup, aside }
}

type AnyRecord = { id: string; kind?: unknown; folder?: unknown; part?: unknown }

/**
 * Removes what belongs to users by their id: sessions, unfinished uploads, scheduled publications. Signed tokens become
 * invalid by the new key.
 */
async function forgetUsers(folder: string): Promise<{ restore(): Promise<void>; finish(): Promise<void> }> {
  const isRecord = (value: unknown): value is AnyRecord =>
    typeof (value as Partial<AnyRecord> | null)?.id === 'string'
  const open = (name: string) => openRecords(join(folder, name), isRecord)
  const [sessions, uploads, site] = [await open('sessions'), await open('uploads'), await open('site')]
  const removed = [
    await takeOut(sessions, () => true),
    await takeOut(uploads, () => true),
    await takeOut(site, ({ kind }) => kind === 'schedule'),
  ]
  return {
    async restore() {
      for (const [at, records] of [sessions, uploads, site].entries())
        for (const record of removed[at] ?? []) await records.put(record).catch(() => {}) // the disk may be full
    },
    /** Removes the received parts of the uploads, which have hidden names in the folders of users. */
    async finish() {
      for (const upload of removed[1] ?? [])
        if (typeof upload.folder === 'string' && typeof upload.part === 'string')
          await removeTempFile(upload.folder, upload.part).catch(() => {}) // its disk may be missing
    },
  }
}

async function takeOut(
  records: Records<AnyRecord>,
  isChosen: (record: AnyRecord) => boolean,
): Promise<AnyRecord[]> {
  const chosen = records.all().filter(isChosen)
  for (const { id } of chosen) await records.remove(id)
  return chosen
}

function failWrite(error: unknown): never {
  const problem = problemOf(error, 'the state')
  if (!problem) throw error
  throw new StartupProblem(
    `The state cannot be written (${problem.message}): free space, make its folder writable, or set --database to another file.`,
    { cause: error },
  )
}
