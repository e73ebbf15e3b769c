import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf, ignoreMissing, onPath } from '#src/core/errno.ts'
import { lstat, mkdir, rm, unlink } from '#src/files/paths/disk.ts'
import { ownNames } from '#src/files/paths/read-folder.ts'
import { isTemporary } from '#src/files/paths/temporary.ts'
import { workOnTree } from '#src/files/tree-walk/tree-tasks.ts'
import { type Journal, type Note, openJournal } from './note-journal.ts'

/** A file being received: its temporary name, and how to say that it is no more. */
interface NotedTempFile {
  name: string
  end(): Promise<void>
}

const journalName = 'journal'

/**
 * Remembers in `folder` which hidden names are in use, so that the next start removes what a crash left without searching
 * the whole disk. Opening does that removal. Notes go into a journal of fixed size, which needs no free space; when it has
 * no free slot, or does not exist yet because the disk is full, a note is a file of its own.
 */
export async function openTempFileJournal(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await ownNames(folder)) if (name !== journalName) await removeNotedInFile(folder, name)
  const file = join(folder, journalName)
  let opening: Promise<Journal | undefined> = openJournal(file)
  const journal = await opening
  for (const { slot, ...note } of journal?.found ?? []) {
    if (await isRemoved(note)) await journal?.clear(slot)
  }

  /** The journal. One that could not be made is tried again: the disk may have room by now. */
  async function current(): Promise<Journal | undefined> {
    const before = opening
    const found = await before
    if (found) return found
    if (opening === before) opening = openJournal(file)
    return opening
  }

  return {
    /**
     * Notes that `name` is about to appear in the real folder `place`.
     *
     * @throws Problem `disk.full` when the journal has no slot and the disk no room for a file.
     */
    async begin(place: string, name: string): Promise<NotedTempFile> {
      const journal = await current()
      const slot = await journal?.add({ name, place })
      if (journal && slot !== undefined) return { name, end: once(() => journal.clear(slot)) }
      const note = join(folder, name)
      await writeFile(note, place, { flag: 'wx', mode: 0o600 }).catch(onPath('the state folder'))
      return { name, end: () => unlink(note).catch(ignoreMissing) }
    },

    /** Closes the journal. Notes of what is still under way stay for the next start. */
    async close(): Promise<void> {
      const journal = await opening
      opening = Promise.resolve(undefined)
      await journal?.close()
    },
  }
}

export type TempFileJournal = Awaited<ReturnType<typeof openTempFileJournal>>

/** Calls `work` the first time only: by a second time, the slot may hold another note. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

/** A note that is a file, also one of a former version. */
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
 * Removes what a note is about. Answers whether the note is done with: the disk may be away, locked or read-only just now,
 * and then the part, hidden by its name, waits for the next start; this start must not fail over it.
 */
async function isRemoved({ name, place }: Note): Promise<boolean> {
  // Names are ours and random: nothing but our own part can have this one. After a power cut a note may be empty or zeros.
  if (!isTemporary(name) || !place || place.includes('\0')) return true
  try {
    await removePart(join(place, name))
    return true
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

/** Removes a part, which may be a folder of any depth. Before the start nobody waits for this thread. */
async function removePart(address: string): Promise<void> {
  const stats = await lstat(address).catch(ignoreMissing)
  if (stats) workOnTree({ kind: 'remove', address })
}
