import { mkdir, readFile, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '#src/core/secret.ts'
import { ownNames } from '#src/files/paths/read-folder.ts'
import { roomBeyondReserve } from '#src/files/space/disk-reserve.ts'

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
// Disks give whole blocks: a file of seven bytes takes one, too.
const blockBytes = 4096

/** What a cache may hold. */
interface Most {
  /** Bytes on the disk, in whole blocks. */
  bytes: number
  files: number
  /** What nobody has asked for during this time goes. */
  ageMs: number
}

/**
 * Keeps small things under a key in files of `folder`, at most `most.bytes` and `most.files` together. Those that nobody
 * has asked for longest go first. Those older than `most.ageMs` go at the first write after a start and once a day. The
 * folder may be deleted at any time. When the disk refuses something, it is not kept and nobody gets an error. Keys are
 * names of files: letters, digits, `-` and `_`, at least two.
 */
export function createFolderCache(folder: string, most: Most, clock: () => number) {
  // Undefined: not counted yet. Counting waits for the first write: a start must not read a large folder.
  let counting: Promise<Count> | undefined
  let sweeping: Promise<void> | undefined
  let sweptAt = Number.NEGATIVE_INFINITY

  const place = (key: string) => join(folder, key.slice(0, 2), key)
  const isOver = ({ bytes, files }: Count) => bytes > most.bytes || files > most.files

  async function sweep(count: Count): Promise<void> {
    sweptAt = clock()
    const before = { ...count }
    const found = await filesIn(folder)
    const left = sum(found)
    const share = isOver(left) ? sweptTo : 1
    const isEnough = () => left.bytes <= most.bytes * share && left.files <= most.files * share
    for (const { path, bytes, mtimeMs } of found.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (isEnough() && sweptAt - mtimeMs <= most.ageMs) break
      await rm(path, { force: true })
      left.bytes -= bytes
      left.files--
    }
    // What was written meanwhile comes on top.
    count.bytes += left.bytes - before.bytes
    count.files += left.files - before.files
  }

  async function write(key: string, bytes: Uint8Array): Promise<void> {
    const file = place(key)
    await mkdir(join(folder, key.slice(0, 2)), { recursive: true, mode: 0o700 })
    // A cache takes nothing of what uploads leave free.
    const room = roomBeyondReserve(await statfs(folder))
    if (room !== undefined && room < bytes.length) return
    counting ??= filesIn(folder).then(sum)
    const count = await counting
    // Readers see a whole file or none. What a crash leaves of an unfinished one is swept like the rest.
    const unfinished = `${file}.${randomId(6)}`
    try {
      await writeFile(unfinished, bytes, { mode: 0o600, flag: 'wx' })
      await rename(unfinished, file)
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined) // the first error says more
      throw error
    }
    count.bytes += onDisk(bytes.length)
    count.files++
    if (!isOver(count) && clock() - sweptAt <= dayMs) return
    sweeping ??= sweep(count).finally(() => {
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

/** How much there is. */
interface Count {
  bytes: number
  files: number
}

async function filesIn(folder: string): Promise<{ path: string; bytes: number; mtimeMs: number }[]> {
  const found = []
  for (const part of await ownNames(folder)) {
    for (const name of await ownNames(join(folder, part)).catch(() => [])) {
      const path = join(folder, part, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats) found.push({ path, bytes: onDisk(stats.size), mtimeMs: stats.mtimeMs })
    }
  }
  return found
}

function onDisk(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes
}

function sum(found: readonly { bytes: number }[]): Count {
  return { bytes: found.reduce((total, { bytes }) => total + bytes, 0), files: found.length }
}
