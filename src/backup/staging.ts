import { constants, createReadStream } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { Readable } from 'node:stream'
import { flushFolder } from '#src/core/flush-folder.ts'
import { ignoreMissing, onPath } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { writeFlushed } from '#src/core/storage/write-flushed.ts'

const notePrefix = 'note-'

/** A file in the folder beside the state. */
export interface MovedFile {
  path: string
  remove(): Promise<void>
}

/** Manages the areas of running restores, and those that a killed process has left, in the folder beside the state. */
export function createStaging(stateFolder: string) {
  const place = join(stateFolder, 'restore')

  /** A folder for the files of one restore. Disposing it removes it, unless it is kept. */
  function areaOf(id: string) {
    const folder = join(place, id)
    const notePath = (name: string) => join(folder, notePrefix + name)
    let isKept = false
    return {
      id,
      /** Creates a file. Its data is on the disk when the promise settles. @throws Problem `disk.full` and others. */
      async create(name: string, write: (file: FileHandle) => Promise<unknown>): Promise<void> {
        const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
        const path = join(folder, name)
        const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        await using file = await open(path, flags, 0o600).catch(onPath('the state folder'))
        await write(file).catch(onPath('the state folder'))
        await file.sync().catch(onPath('the state folder'))
      },
      read: (name: string): Promise<Buffer> => readFile(join(folder, name)),
      stream: (name: string): Readable => createReadStream(join(folder, name)),
      /** Moves a file to the folder beside the state. It gets a number if `to` is taken. */
      async moveOut(name: string, to: string): Promise<MovedFile> {
        const path = await freePath(join(stateFolder, to))
        await rename(join(folder, name), path).catch(onPath('the state folder'))
        await flushFolder(() => open(stateFolder, constants.O_RDONLY)).catch(onPath('the state folder'))
        return { path, remove: () => rm(path, { force: true }) }
      },
      /** Moves a file to a name in the folder beside the state, and replaces what is there. Does nothing if it was moved already. */
      async place(name: string, to: string): Promise<void> {
        await rename(join(folder, name), join(stateFolder, to)).catch(ignoreMissing)
        await flushFolder(() => open(stateFolder, constants.O_RDONLY)).catch(onPath('the state folder'))
      },
      /** Stores values by name. After a power failure, they are there with all files that were created before. */
      async note(values: Readonly<Record<string, unknown>>): Promise<void> {
        for (const [name, value] of Object.entries(values))
          await writeFlushed(notePath(name), JSON.stringify(value)).catch(onPath('the state folder'))
        for (const each of [folder, place, stateFolder])
          await flushFolder(() => open(each, constants.O_RDONLY)).catch(onPath('the state folder'))
      },
      /** The stored values, except the removed ones. */
      async readNotes(): Promise<Record<string, unknown>> {
        const names = (await readdir(folder)).filter((name) => name.startsWith(notePrefix))
        const read = async (name: string) => [
          name.slice(notePrefix.length),
          JSON.parse(await readFile(join(folder, name), 'utf8')),
        ]
        return Object.fromEntries(await Promise.all(names.map(read)))
      },
      /** Removes one value. Also works on a full disk. */
      removeNote: (name: string): Promise<void> => rm(notePath(name), { force: true }),
      /** The next start finds the area. */
      keep(): void {
        isKept = true
      },
      async [Symbol.asyncDispose]() {
        // What cannot be removed now is removed by the next start.
        if (!isKept) await rm(folder, { recursive: true, force: true }).catch(() => {})
      },
    }
  }

  return {
    /** Creates an area. @throws Problem `disk.full` and others. */
    async open() {
      const id = randomId()
      await mkdir(join(place, id), { recursive: true, mode: 0o700 }).catch(onPath('the state folder'))
      return areaOf(id)
    },

    /** The areas of an earlier process. Only to be called before the first `open`. */
    async found() {
      const names = (await readdir(place).catch(ignoreMissing)) ?? []
      return names.map(areaOf)
    },
  }
}

export type Staging = ReturnType<typeof createStaging>
export type StagingArea = Awaited<ReturnType<Staging['open']>>

async function freePath(wanted: string): Promise<string> {
  const { dir, name, ext } = parse(wanted)
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : join(dir, `${name}-${number}${ext}`)
    if (!(await lstat(path).catch(ignoreMissing))) return path
  }
}
