import { mkdir, readdir, readFile, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '#src/core/secret.ts'
import { roomBeyondReserve } from './disk-reserve.ts'

/** Something kept, and when it was. */
export interface Kept {
  bytes: Buffer
  /** Milliseconds since it was kept or last asked for, as far as a file's time tells. */
  ageMs: number
}

// A file that is asked for again gets a new time, so that the oldest ones go first; once a day says enough.
const dayMs = 24 * 60 * 60_000
// A sweep makes this much room, so that the next one is a long way off.
const sweptTo = 0.75

/**
 * Keeps small things under a key in files of `folder`, `most.bytes` together; those that nobody has asked for longest go
 * first, and those of more than `most.ageMs` at the first write after a start and once a day. The folder may be deleted at any time, and whatever the disk says against it, nothing is kept and nobody is
 * troubled. Keys are names of files: letters, digits, `-` and `_`, at least two.
 */
export function createFolderCache(
  folder: string,
  most: { bytes: number; ageMs: number },
  clock: () => number,
) {
  // Undefined: not counted yet. Counting waits for the first write: a start must not read a large folder.
  let total: Promise<number> | undefined
  let sweeping: Promise<void> | undefined
  let sweptAt = Number.NEGATIVE_INFINITY

  const place = (key: string) => join(folder, key.slice(0, 2), key)

  async function sweep(): Promise<void> {
    sweptAt = clock()
    const files = await filesIn(folder)
    let left = sum(files)
    const enough = left > most.bytes ? most.bytes * sweptTo : most.bytes
    for (const { path, size, mtimeMs } of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (left <= enough && sweptAt - mtimeMs <= most.ageMs) break
      await rm(path, { force: true })
      left -= size
    }
    total = Promise.resolve(left)
  }

  async function write(key: string, bytes: Uint8Array): Promise<void> {
    const file = place(key)
    await mkdir(join(folder, key.slice(0, 2)), { recursive: true, mode: 0o700 })
    // A cache takes nothing of what uploads leave free.
    const room = roomBeyondReserve(await statfs(folder))
    if (room !== undefined && room < bytes.length) return
    // Whole or not at all: somebody may read it at this moment. What a crash leaves of it is swept like the rest.
    const unfinished = `${file}.${randomId(6)}`
    await writeFile(unfinished, bytes, { mode: 0o600, flag: 'wx' })
    await rename(unfinished, file)
    const before = await (total ?? filesIn(folder).then((files) => sum(files) - bytes.length))
    total = Promise.resolve(before + bytes.length)
    if (before + bytes.length <= most.bytes && clock() - sweptAt <= dayMs) return
    sweeping ??= sweep().finally(() => {
      sweeping = undefined
    })
    await sweeping
  }

  return {
    /** What was kept under `key`; undefined when it was not, or is no more. */
    async get(key: string): Promise<Kept | undefined> {
      try {
        const file = place(key)
        const [bytes, { mtimeMs }] = await Promise.all([readFile(file), stat(file)])
        const now = clock()
        if (now - mtimeMs > dayMs) await utimes(file, now / 1000, now / 1000)
        return { bytes, ageMs: now - mtimeMs }
      } catch {
        return undefined // not there, or not readable: a cache has no failures
      }
    },
    /** Keeps `bytes` under `key`, if it can. */
    async put(key: string, bytes: Uint8Array): Promise<void> {
      await write(key, bytes).catch(() => undefined) // no space, no rights: the next one who asks makes it again
    },
    /** Forgets what is kept under `key`, if anything is. */
    async drop(key: string): Promise<void> {
      await rm(place(key), { force: true }).catch(() => undefined)
    },
  }
}

async function filesIn(folder: string): Promise<{ path: string; size: number; mtimeMs: number }[]> {
  const found = []
  for (const part of await readdir(folder)) {
    for (const name of await readdir(join(folder, part)).catch(() => [])) {
      const path = join(folder, part, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats) found.push({ path, size: stats.size, mtimeMs: stats.mtimeMs })
    }
  }
  return found
}

function sum(files: readonly { size: number }[]): number {
  return files.reduce((total, { size }) => total + size, 0)
}
