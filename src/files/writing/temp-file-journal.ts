import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf, ignoreMissing, onPath } from '#src/core/problem.ts'
import { lstat, mkdir, rm, unlink } from '#src/files/paths/disk.ts'
import { privateNames } from '#src/files/paths/read-folder.ts'
import { isTemporary } from '#src/files/paths/user-path.ts'
import { runTreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { type Journal, type Note, openJournal } from './note-journal.ts'

/** A temporary file in use. */
interface NotedTempFile {
  name: string
  /** Removes its note. */
  end(): Promise<void>
  /** Removes its note within a second. Only for a file that no longer exists under this name. */
  endLater(): void
}

const journalName = 'journal'

/**
 * Records in `folder` which temporary names are in use, so that the next start can remove the files that a crash left
 * behind without a search of the whole disk. Opening the journal removes them. Notes are written to a journal of fixed
 * size, which needs no free space. When it has no free slot, or does not exist because the disk is full, a note is a
 * separate file.
 */
export async function openTempFileJournal(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await privateNames(folder))
    if (name !== journalName) await removeNotedInFile(folder, name)
  const file = join(folder, journalName)
  let opening: Promise<Journal | undefined> = openJournal(file)
  const journal = await opening
  for (const { slot, ...note } of journal?.found ?? []) {
    if (await isRemoved(note)) await journal?.clear(slot)
  }

  /** Returns the journal. If it could not be created before, tries again: the disk may have space now. */
  async function current(): Promise<Journal | undefined> {
    const before = opening
    const journal = await before
    if (journal) return journal
    if (opening === before) opening = openJournal(file)
    return opening
  }

  async function write(
    place: string,
    { name, isFlushedLater }: { name: string; isFlushedLater: boolean },
  ): Promise<NotedTempFile> {
    const journal = await current()
    const added = await journal?.add({ name, place })
    if (journal && added) {
      const { slot } = added
      if (isFlushedLater) added.flushLater()
      else await added.flush()
      const end = once((isUrgent) => (isUrgent ? journal.clear(slot) : journal.clearLater(slot)))
      return { name, end: () => end(true), endLater: () => void end(false) }
    }
    const note = join(folder, name)
    await writeFile(note, place, { flag: 'wx', mode: 0o600 }).catch(onPath('the state folder'))
    const end = () => unlink(note).catch(ignoreMissing)
    // If its removal fails, the next start tries again.
    return { name, end, endLater: () => void end().catch(() => {}) }
  }

  return {
    /**
     * Writes a note that a file `name` will be created in the real folder `place`, and flushes it.
     *
     * @throws Problem `disk.full` when the journal has no free slot and the disk has no space for a file.
     */
    begin: (place: string, name: string) => write(place, { name, isFlushedLater: false }),

    /**
     * Like `begin`, but flushes the note only if the file is still in use after a second: each flush costs as much as
     * that of a small file. If the power is cut before, the file may stay in the folder, hidden.
     */
    beginNow: (place: string, name: string) => write(place, { name, isFlushedLater: true }),

    /** Closes the journal. Notes of temporary files in use stay for the next start. */
    async close(): Promise<void> {
      const journal = await opening
      opening = Promise.resolve(undefined)
      await journal?.close()
    },
  }
}

export type TempFileJournal = Awaited<ReturnType<typeof openTempFileJournal>>

/** Calls `work` only once. At a second call, the slot may already hold another note. */
function once(work: (isUrgent: boolean) => Promise<void> | void): (isUrgent: boolean) => Promise<void> {
  let done: Promise<void> | undefined
  return (isUrgent) => {
    done ??= Promise.resolve(work(isUrgent))
    return done
  }
}

/** Removes the temporary file of a note that is a separate file, also one of an older version. */
async function removeNotedInFile(folder: string, name: string): Promise<void> {
  const file = join(folder, name)
  try {
    const place = await readFile(file, 'utf8')
    if (await isRemoved({ name, place })) await rm(file, { force: true })
  } catch (error) {
    if (errnoOf(error) === undefined) throw error // the note stays for the next start
  }
}

/**
 * Removes the temporary file of a note. Returns whether the note is no longer needed. If the disk is missing, locked or
 * read-only, the file stays hidden until the next start. This start must not fail because of it.
 */
async function isRemoved({ name, place }: Note): Promise<boolean> {
  // Temporary names are random, so only our own file can have one. After a power failure a note may be empty or zeros.
  if (!isTemporary(name) || !place || place.includes('\0')) return true
  try {
    await removeTree(join(place, name))
    return true
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

/** Removes a temporary file or folder. Synchronous: at the start, no requests wait for this thread. */
async function removeTree(address: string): Promise<void> {
  const stats = await lstat(address).catch(ignoreMissing)
  if (stats) runTreeTask({ kind: 'remove', address })
}
