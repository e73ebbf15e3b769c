import { mkdir, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing, onPath } from '#src/core/errno.ts'
import { isTemporary } from './temporary.ts'

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
  for (const name of await readdir(folder)) {
    const note = join(folder, name)
    const place = await readFile(note, 'utf8')
    // Names are ours and random: whatever else lies in that folder now, nothing but our own part can have this one.
    if (isTemporary(name) && place)
      await rm(join(place, name), { recursive: true, force: true }).catch(ignoreGone)
    await rm(note, { force: true })
  }
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

function ignoreGone(error: NodeJS.ErrnoException): void {
  // The folder was removed, replaced or locked since. The part is hidden by its name; a start must not fail over it.
  if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'ELOOP'].includes(error.code ?? '')) throw error
}
