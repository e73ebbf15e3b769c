import type { Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { CommandProblem, errnoOf, ignoreMissing, onPath, Problem, unconditional } from '#src/core/problem.ts'
import { unrecorded } from '#src/files/changes/change.ts'
import { openDeepest, openHostFolder, openPath } from '#src/files/jail/jail.ts'
import { hasEscapedBytes } from '#src/files/paths/byte-names.ts'
import { access, lstat, mkdir } from '#src/files/paths/disk.ts'
import { readShownNames } from '#src/files/paths/read-folder.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { childOf, normalizePath, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { readWhole } from '#src/files/reading/read-whole.ts'
import { openHeld } from '#src/files/reading/readable-file.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { openDraft } from '#src/files/writing/write.ts'
import { isBranding, largestBytes } from './branding.ts'

/** A file of a branding folder. The path starts with `/`. */
export interface ListedFile {
  path: string
  /** In bytes. */
  size: number
}

// access(2): W_OK and X_OK.
const mayCreate = 0o3

// A branding folder that was set by mistake may contain a whole disk.
const mostEntries = 5000
// The mode of new files. Everybody can get them from the server anyway.
const modes = { fileMode: 0o644, dirMode: 0o755 }

/**
 * Lists, reads and writes the files of a branding folder, for backups: regular files that the server could send. Paths
 * start with `/`, and must be served paths.
 */
export function createBrandingFiles({
  secret,
  parts,
  locks,
}: {
  secret: readonly string[]
  parts: TempFileJournal
  locks: KeyedLock
}) {
  const open = (folder: string): Promise<Jail> => openHostFolder(folder, { allows: () => true, secret })

  return {
    /** Whether a file at this path is served. */
    isServed(path: string): boolean {
      return path !== rootPath && isBranding(path) && !hasEscapedBytes(path) && isNormal(path)
    },

    /** The served files, and a sentence for each one that cannot be saved. A missing folder has none. */
    async list(folder: string): Promise<{ files: ListedFile[]; left: string[] }> {
      const found: Found = { files: [], left: [], entries: 0 }
      try {
        await listInto(found, await open(folder), rootPath)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        found.left.push(`The branding folder ${folder} is not in the backup: ${error.message}.`)
      }
      return found
    },

    /** Reads a file. @throws Problem `path.unknown` and others; CommandProblem when it cannot be read as a whole. */
    async *read(folder: string, path: string): AsyncGenerator<Buffer> {
      await using held = await openPath(await open(folder), path as UserPath)
      const bytes = await readWhole(held, largestBytes)
      if (!bytes) throw new CommandProblem(`The branding file ${path} is not a regular file: try again.`)
      if (bytes.length > 0) yield bytes
    },

    /** The content of a file. Undefined when it does not exist or cannot be read. */
    async find(folder: string, path: string): Promise<Buffer | undefined> {
      try {
        await using held = await openPath(await open(folder), path as UserPath)
        return await readWhole(held, largestBytes)
      } catch (error) {
        if (error instanceof Problem) return undefined
        throw error
      }
    },

    /**
     * Checks that a file can be created, or read and replaced. Changes nothing.
     *
     * @param advice continues the sentence of the problem
     * @throws CommandProblem
     */
    async checkWritable(folder: string, path: string, advice: string): Promise<void> {
      const reason = await obstacleAt(folder, path as UserPath).catch(asObstacle)
      if (reason) throw new CommandProblem(`The branding file ${join(folder, path)} ${reason}: ${advice}.`)
    },

    /** Creates or replaces a file, and missing folders. @throws Problem. */
    async write(folder: string, path: string, bytes: Buffer): Promise<void> {
      await mkdir(resolve(folder), { recursive: true, mode: modes.dirMode }).catch(onPath(folder))
      const how = { ...modes, overwrite: true, recheck: unconditional }
      await using draft = await openDraft(
        { jail: await open(folder), parts, locks, change: unrecorded },
        path as UserPath,
        how,
      )
      await draft.fill(async (file) => {
        await file.writeFile(bytes)
        await file.datasync()
      })
      await draft.commit()
    },
  }

  /** Why a file cannot be written, to continue a sentence. Undefined: it can. */
  async function obstacleAt(folder: string, path: UserPath): Promise<string | undefined> {
    if ((await lstat(join(folder, path)).catch(ignoreMissing))?.isSymbolicLink()) return 'is a symbolic link'
    const jail = await open(folder).catch(ignoreUnknown)
    return jail ? obstacleIn(jail, path) : obstacleAbove(resolve(folder))
  }
}

function asObstacle(error: unknown): string {
  const reason = errnoOf(error) ?? (error instanceof Problem ? error.message : undefined)
  if (reason === undefined) throw error
  return `cannot be replaced (${reason})`
}

export type BrandingFiles = ReturnType<typeof createBrandingFiles>

interface Found {
  files: ListedFile[]
  left: string[]
  entries: number
}

async function listInto(found: Found, jail: Jail, path: UserPath): Promise<void> {
  await using folder = await openPath(jail, path)
  const names = await readShownNames(folder.address, {
    secrets: [],
    hideDotfiles: false,
    allows: (name) => path !== rootPath || name === 'img' || name === 'custom.css',
  }).catch(onPath(path))
  for (const name of names.sort()) {
    const below = childOf(path, name)
    if (++found.entries > mostEntries) {
      found.left.push(
        `The branding folder has more than ${mostEntries} entries: the backup contains the first.`,
      )
      return
    }
    try {
      const stats = await lstat(join(folder.address, name)).catch(ignoreMissing).catch(onPath(below))
      if (stats?.isDirectory()) await listInto(found, jail, below)
      else if (stats) await listEntry(found, jail, { path: below, stats })
    } catch (error) {
      // One file that the server cannot read must not prevent all backups.
      if (!(error instanceof Problem)) throw error
      found.left.push(`${below} of the branding folder is not in the backup: ${error.message}.`)
    }
  }
}

/** @throws Problem when the file cannot be read. */
async function listEntry(
  found: Found,
  jail: Jail,
  { path, stats }: { path: UserPath; stats: Stats },
): Promise<void> {
  if (stats.isSymbolicLink()) found.left.push(`The link ${path} of the branding folder is not in the backup.`)
  const isSent = stats.isFile() && stats.size <= largestBytes && isBranding(path)
  if (!isSent) return
  await using held = await openPath(jail, path)
  await using _readable = await openHeld(held)
  found.files.push({ path, size: stats.size })
}

async function obstacleIn(jail: Jail, path: UserPath): Promise<string | undefined> {
  const { found, at } = await openDeepest(jail, path)
  await using _found = found
  if (at === path) return await obstacleOf(found)
  if (!found.stats.isDirectory()) return 'is below a file'
  await access(found.address, mayCreate)
  return undefined
}

/** Why an existing file cannot be replaced. One that cannot be read would be lost: no backup of the present has it. */
async function obstacleOf(found: OpenPath): Promise<string | undefined> {
  if (!found.stats.isFile()) return 'is not a regular file'
  await using _readable = await openHeld(found)
  return undefined
}

/** Why a missing folder cannot be created. */
async function obstacleAbove(folder: string): Promise<string | undefined> {
  const above = dirname(folder)
  const stats = await lstat(above).catch(ignoreMissing)
  if (!stats && above !== folder) return obstacleAbove(above)
  await access(above, mayCreate)
  return undefined
}

function isNormal(path: string): boolean {
  try {
    return normalizePath(path).path === path
  } catch {
    return false
  }
}

function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== 'path.unknown') throw error
}
