import { lstat, mkdir, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf, ignoreMissing, onPath } from '#src/core/errno.ts'
import { ownNames } from './read-folder.ts'
import { isTemporary } from './temporary.ts'
import { workOnTree } from './tree-tasks.ts'

/** A file being received: its temporary name, and how to say that it is no more. */
interface Part {
  name: string
  end(): Promise<void>
}

/**
 * Remembers in `folder` where files are being received, so that what a crash left half-written is removed at the next
 * start without searching the whole disk. Opening does that removal.
 */
export async function openParts(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await ownNames(folder)) await removeNoted(folder, name)
  return {
    /** Notes that `name` is about to appear in the real folder `place`. */
    async begin(place: string, name: string): Promise<Part> {
      const note = join(folder, name)
      await writeFile(note, place, { flag: 'wx', mode: 0o600 }).catch(onPath('the state folder'))
      return { name, end: () => unlink(note).catch(ignoreMissing) }
    },
  }
}

export type Parts = Awaited<ReturnType<typeof openParts>>

async function removeNoted(folder: string, name: string): Promise<void> {
  const note = join(folder, name)
  try {
    const place = await readFile(note, 'utf8')
    // Names are ours and random: whatever else lies in that folder now, nothing but our own part can have this one. After
    // a power cut a note may be empty or zeros.
    if (isTemporary(name) && place && !place.includes('\0')) await removePart(join(place, name))
    await rm(note, { force: true })
  } catch (error) {
    // The disk may be away, locked or read-only just now. The part is hidden by its name and the note stays for the next
    // start; this one must not fail over it.
    if (errnoOf(error) === undefined) throw error
  }
}

/** Removes a part, which may be a folder of any depth. Before the start nobody waits for this thread. */
async function removePart(address: string): Promise<void> {
  const stats = await lstat(address).catch(ignoreMissing)
  if (stats) workOnTree({ kind: 'remove', address })
}
