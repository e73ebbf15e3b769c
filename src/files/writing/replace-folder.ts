import { constants, type Dirent, type Stats } from 'node:fs'
import { join } from 'node:path'
import { flushFolder } from '#src/core/flush-folder.ts'
import { ignoreMissing, onPath, Problem } from '#src/core/problem.ts'
import type { Change, PlannedStep } from '#src/files/changes/change.ts'
import { type Located, locate } from '#src/files/jail/locate.ts'
import { copyFile, link, lstat, mkdir, open, readlink, rename, rm, symlink } from '#src/files/paths/disk.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import { everyEntry } from '#src/files/paths/read-folder.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { isReserved, temporaryName, type UserPath } from '#src/files/paths/user-path.ts'
import { keepOwner } from './temp-file.ts'
import type { TempFileJournal } from './temp-file-journal.ts'

/** The names of a swap in a real folder: the target, the new folder, and where the old one is meanwhile. */
export interface SwapNote {
  folder: string
  name: string
  next: string
  aside: string
}

/** Remembers a swap, so that the next start can finish it after a crash. Resolves when the note is durable. */
export type NoteSwap = (swap: SwapNote) => Promise<() => Promise<unknown>>

/** A folder that is being filled under a temporary name. Disposing it removes it, unless it has replaced the target. */
export interface FolderDraft extends AsyncDisposable {
  /** Real path of the temporary folder, beside the target. Programs write to it. */
  readonly real: string
  /** Why the folder should not be published: it is empty, or contains a link or a special file. Undefined: no reason. */
  fault(): Promise<string | undefined>
  /**
   * Puts the folder in the place of the target. Readers see the old folder or the new one, never a mixture. Between two
   * system calls there is none: no system that Node runs on offers to exchange two folders. The old folder is kept as a
   * version, where versions are kept.
   *
   * @param how.keepsOld whether files of the old folder that the new one lacks are kept, as hard links
   * @param how.change the operation that replaces it
   * @throws Problem `path.busy` when the target is a mount point, `path.file`, or the error of the system.
   */
  replace(how: { keepsOld: boolean; note: NoteSwap; change: Change }): Promise<void>
}

/**
 * Makes a temporary folder beside `path`, to replace it with.
 *
 * @throws Problem `path.file`, `path.link` when the target is not a folder, and as `locate` does.
 */
export async function openFolderDraft(
  { jail, parts }: { jail: Jail; parts: TempFileJournal },
  path: UserPath,
  mode: number,
): Promise<FolderDraft> {
  const target = await locate(jail, path)
  try {
    await statsOf(target, path)
    const part = await parts.begin(target.folder.real, temporaryName())
    const next = join(target.folder.address, part.name)
    const remove = async () => {
      await rm(next, { recursive: true, force: true })
      await part.end()
    }
    await mkdir(next, mode).catch(async (error: unknown) => {
      await part.end().catch(() => {}) // a note that stays costs the next start only one check
      return onPath(path)(error)
    })
    let isDone = false
    return {
      real: join(target.folder.real, part.name),
      fault: () => faultIn(next),
      async replace({ keepsOld, note, change }) {
        const old = await statsOf(target, path)
        await keepFolderOwner(next, { ...target, replaces: old }, mode)
        if (old && keepsOld) await linkMissing(target.address, next)
        const step = await planReplacement(change, { target, next, old })
        try {
          await swap({ target, parts, next, name: part.name, old, note, step }).catch(onPath(path))
          await step.done({ stats: await lstat(target.address) })
        } catch (error) {
          await step.cancel()
          throw error
        }
        isDone = true
        await part.end().catch(() => {}) // the folder has its name; the next start finds nothing to remove
      },
      async [Symbol.asyncDispose]() {
        if (!isDone) await remove().catch(() => {}) // the note stays, and the next start tries again
        await target.folder.close()
      },
    }
  } catch (error) {
    await target.folder.close()
    throw error
  }
}

/** The stats of the target; undefined when it does not exist. @throws Problem unless it is a folder. */
async function statsOf({ address }: Located, path: UserPath): Promise<Stats | undefined> {
  const stats = await lstat(address).catch(ignoreMissing).catch(onPath(path))
  if (stats?.isSymbolicLink()) throw new Problem('path.link', { path })
  if (stats && !stats.isDirectory()) throw new Problem('path.file', { path })
  return stats
}

/** Gives the new folder the owner, group, list and mode of the old one, so that other programs can still read it. */
async function keepFolderOwner(
  next: string,
  target: Parameters<typeof keepOwner>[1],
  mode: number,
): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(next, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await keepOwner(handle, target, mode)
  } finally {
    await handle.close()
  }
}

async function faultIn(folder: string): Promise<string | undefined> {
  const folders = [folder]
  let isEmpty = true
  for (let here = folders.pop(); here !== undefined; here = folders.pop()) {
    for (const entry of await everyEntry(here)) {
      if (entry.isDirectory()) folders.push(join(here, entry.name))
      else if (!entry.isFile()) return `created ${entry.name}, which is neither a file nor a folder`
      else isEmpty = false
    }
  }
  return isEmpty ? 'created no files' : undefined
}

/** Records that the folder `next` will be in the place of the target. */
async function planReplacement(
  change: Change,
  { target, next, old }: { target: Located; next: string; old: Stats | undefined },
): Promise<PlannedStep> {
  const path = join(target.folder.real, target.name)
  const entry = identityOf(await lstat(next))
  const replaces = old && identityOf(old)
  const [step] = await change.plan({ do: 'put', path, entry, isFolder: true, replaces })
  return step
}

interface Swap {
  target: Located
  parts: TempFileJournal
  /** Address and name of the new folder. */
  next: string
  name: string
  old: Stats | undefined
  note: NoteSwap
  step: PlannedStep
}

async function swap({ target, parts, next, name, old: replaced, note, step }: Swap): Promise<void> {
  const { folder } = target
  const aside = await parts.begin(folder.real, temporaryName())
  const old = join(folder.address, aside.name)
  const forget = await note({ folder: folder.real, name: target.name, next: name, aside: aside.name }).catch(
    async (error: unknown) => {
      await aside.end()
      throw error
    },
  )
  const isKept = replaced !== undefined && (await step.keepOldFolder(target.address, replaced))
  if (replaced && !isKept) await rename(target.address, old)
  await rename(next, target.address).catch(async (error: unknown) => {
    // If this fails too, the note stays, and the next start finishes the swap.
    if (isKept) await step.takeBack(target.address)
    else if (replaced) await rename(old, target.address)
    await forget()
    throw error
  })
  // From here on the new folder is in its place. What fails now is left to the next start.
  await flushFolder(() => open(folder.address)).catch(() => {})
  await forget()
  await rm(old, { recursive: true, force: true })
    .then(() => aside.end())
    .catch(() => {})
}

/** Gives `next` every entry of `old` that it lacks. */
async function linkMissing(old: string, next: string): Promise<void> {
  for (const entry of await everyEntry(old)) {
    const [from, to] = [join(old, entry.name), join(next, entry.name)]
    const existing = await lstat(to).catch(ignoreMissing)
    if (!existing) await linkEntry(entry, from, to)
    else if (entry.isDirectory() && existing.isDirectory()) await linkMissing(from, to)
  }
}

async function linkEntry(entry: Dirent, from: string, to: string): Promise<void> {
  if (isReserved(entry.name)) return
  // Some disks have no hard links, and the system may forbid those to files of other users.
  if (entry.isFile()) return link(from, to).catch(() => copyFile(from, to))
  if (entry.isSymbolicLink()) return symlink(await readlink(from), to)
  if (!entry.isDirectory()) return
  await mkdir(to, (await lstat(from)).mode & 0o7777)
  await linkMissing(from, to)
}

/**
 * Finishes a swap that a crash interrupted between its two renames. Called before temporary folders are removed.
 *
 * @returns whether it is done. Otherwise the disk is missing or read-only, and the next start tries again
 */
export async function finishSwap({ folder, name, next, aside }: SwapNote): Promise<boolean> {
  const target = join(folder, name)
  try {
    await lstat(folder)
    for (const candidate of [next, aside]) {
      if (await lstat(target).catch(ignoreMissing)) return true
      await rename(join(folder, candidate), target).catch(ignoreMissing)
    }
    return true
  } catch {
    return false
  }
}
